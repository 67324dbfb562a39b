//! Columns as a Parquet file.

use crate::ReportError;
use crate::columns::{Column, Values};
use ambler_geometry::{Fault, Place};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// Columns as the bytes of a Parquet file: one row group, each column optional, text as UTF-8, not
/// compressed (dictionaries keep it small). The same bytes for the same columns.
///
/// # Errors
/// [`ReportError::Write`] where columns are of unequal length.
pub fn parquet(columns: &[Column]) -> Result<Vec<u8>, ReportError> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    if let Some(odd) = columns.iter().find(|column| column.values.len() != rows) {
        let what = format!("column {} has {} rows, not {rows}", odd.name, odd.values.len());
        return Err(ReportError::Write(Fault::new(
            "",
            Place::Whole,
            what,
            "give columns of equal length",
        )));
    }
    written(columns).map_err(|error| {
        ReportError::Write(Fault::new("", Place::Whole, format!("no Parquet file: {error}"), ""))
    })
}

fn written(columns: &[Column]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("episodes").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("ambler {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in columns {
        let Some(mut writer) = group.next_column()? else { break };
        match &column.values {
            Values::Text(values) => put::<ByteArrayType, _>(&mut writer, values, |text| {
                ByteArray::from(text.as_bytes().to_vec())
            })?,
            Values::Float(values) => put::<DoubleType, _>(&mut writer, values, |value| *value)?,
            Values::Int(values) => put::<Int64Type, _>(&mut writer, values, |value| *value)?,
            Values::Bool(values) => put::<BoolType, _>(&mut writer, values, |value| *value)?,
        }
        writer.close()?;
    }
    group.close()?;
    file.into_inner()
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.values {
        Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Values::Float(_) => (Physical::DOUBLE, None),
        Values::Int(_) => (Physical::INT64, None),
        Values::Bool(_) => (Physical::BOOLEAN, None),
    };
    let built = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(built))
}

/// Writes the values that are there, and which are there.
fn put<T: DataType, V>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[Option<V>],
    convert: impl Fn(&V) -> T::T,
) -> Result<(), ParquetError> {
    let there: Vec<T::T> = values.iter().flatten().map(convert).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    writer.typed::<T>().write_batch(&there, Some(&levels), None)?;
    Ok(())
}
