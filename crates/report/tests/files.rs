//! CSV, Parquet and LaTeX: read back equal, whatever the names.

mod common;

use ambler_report::*;
use common::*;
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;

/// Reads a CSV file: cells of each line, `None` where a cell is empty and not quoted.
fn read_csv(text: &str) -> Vec<Vec<Option<String>>> {
    let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut inside) = (false, false);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => {
                inside = !inside;
                quoted = true;
            }
            ',' | '\r' if !inside => {
                line.push((quoted || !cell.is_empty()).then(|| std::mem::take(&mut cell)));
                quoted = false;
                if c == '\r' {
                    assert_eq!(letters.next(), Some('\n'));
                    lines.push(std::mem::take(&mut line));
                }
            }
            c => cell.push(c),
        }
    }
    assert!(line.is_empty() && cell.is_empty(), "the last line is ended");
    lines
}

/// The columns of a CSV file, with the types of the columns it was made from.
fn columns_of_csv(text: &str, like: &[Column]) -> Vec<Column> {
    let lines = read_csv(text);
    let cells = |place: usize| lines.iter().skip(1).map(move |line| line[place].clone());
    let parsed = |place: usize, values: &Values| match values {
        Values::Text(_) => Values::Text(cells(place).collect()),
        Values::Float(_) => Values::Float(
            cells(place).map(|cell| cell.map(|it| it.parse().expect("a number"))).collect(),
        ),
        Values::Int(_) => {
            Values::Int(cells(place).map(|cell| cell.map(|it| it.parse().expect("a number"))).collect())
        }
        Values::Bool(_) => {
            Values::Bool(cells(place).map(|cell| cell.map(|it| it.parse().expect("a flag"))).collect())
        }
    };
    like.iter()
        .enumerate()
        .map(|(place, column)| Column {
            name: lines[0][place].clone().unwrap_or_default(),
            values: parsed(place, &column.values),
        })
        .collect()
}

fn column_of<T: DataType, V>(
    group: &dyn parquet::file::reader::RowGroupReader,
    place: usize,
    rows: usize,
    convert: impl Fn(&T::T) -> V,
) -> Vec<Option<V>> {
    let reader = group.get_column_reader(place).expect("a column");
    let mut reader = parquet::column::reader::get_typed_column_reader::<T>(reader);
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, ..) =
            reader.read_records(rows, Some(&mut levels), None, &mut values).expect("values");
        assert!(records > 0);
        read += records;
    }
    let mut values = values.iter();
    levels.iter().map(|&level| (level == 1).then(|| convert(values.next().expect("a value")))).collect()
}

fn columns_of_parquet(bytes: Vec<u8>, like: &[Column]) -> Vec<Column> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
    let metadata = reader.metadata();
    let rows = metadata.file_metadata().num_rows() as usize;
    let names: Vec<String> = metadata
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    let group =
        (rows > 0 || metadata.num_row_groups() > 0).then(|| reader.get_row_group(0).expect("rows"));
    like.iter()
        .enumerate()
        .map(|(place, column)| {
            let group = group.as_deref();
            let values = match (&column.values, group) {
                (Values::Text(_), Some(group)) => {
                    Values::Text(column_of::<ByteArrayType, _>(group, place, rows, |text| {
                        text.as_utf8().expect("UTF-8").to_owned()
                    }))
                }
                (Values::Float(_), Some(group)) => {
                    Values::Float(column_of::<DoubleType, _>(group, place, rows, |value| *value))
                }
                (Values::Int(_), Some(group)) => {
                    Values::Int(column_of::<Int64Type, _>(group, place, rows, |value| *value))
                }
                (Values::Bool(_), Some(group)) => {
                    Values::Bool(column_of::<BoolType, _>(group, place, rows, |value| *value))
                }
                (values, None) => values.clone(),
            };
            Column { name: names[place].clone(), values }
        })
        .collect()
}

#[track_caller]
fn come_back(columns: &[Column]) {
    assert_eq!(columns_of_csv(&csv(columns), columns), columns);
    let bytes = parquet(columns).expect("a file");
    assert_eq!(bytes, parquet(columns).expect("a file"), "the same bytes");
    assert_eq!(columns_of_parquet(bytes, columns), columns);
}

#[test]
fn tables_of_runs_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = read_runs(&two_runs(folder.path())).expect("runs");
    let report = Report::gather(runs, &NoScenes, &|_| {});
    let columns = report.columns(folder.path());
    assert!(columns.iter().all(|column| column.values.len() == 12));
    come_back(&columns);
    let spl = columns.iter().find(|column| column.name == "spl").expect("SPL");
    let Values::Float(spl) = &spl.values else { panic!("numbers") };
    assert_eq!((spl[0], spl[7]), (Some(0.2), Some(0.0)));
}

/// Logs are named from where the table lies.
#[test]
fn logs_are_named_from_the_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = two_runs(folder.path());
    let runs = read_runs(&paths).expect("runs");
    let record = runs[1].records[2].clone();
    let episode = episode("e2", "flat", "sink");
    let walk = Walk { actions: "FLS", blocked: false, seen: None, away_m: &|_| 0.05 };
    write_log(&paths[1], &record, &log(&episode, &record, &walk));
    let report = Report::gather(read_runs(&paths).expect("runs"), &NoScenes, &|_| {});
    assert_eq!(
        report.notes,
        ["episodes judged or drawn without their scene: 1; the first: no scenes at hand"]
    );
    let tables = folder.path().join("tables");
    std::fs::create_dir(&tables).expect("a folder");
    let columns = report.columns(&tables);
    let replay = columns.iter().find(|column| column.name == "replay").expect("logs");
    let Values::Text(replay) = &replay.values else { panic!("text") };
    let name = format!("../hasty/replays/00002-{}.mcap", &record.identity[..16]);
    assert_eq!(replay.iter().flatten().collect::<Vec<_>>(), [&name]);
}

fn cell() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some(String::new())),
        Just(Some("=cmd|' /C calc'!A0".to_owned())),
        Just(Some("a,\"b\"\r\n,c\u{0}".to_owned())),
        any::<String>().prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_values_come_back(
        rows in prop::collection::vec(
            (cell(), prop::option::of(prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL),
             any::<Option<i64>>(), any::<Option<bool>>()),
            0..20,
        ),
    ) {
        let column = |name: &str, values| Column { name: name.to_owned(), values };
        let columns = [
            column("text, \"quoted\"", Values::Text(rows.iter().map(|row| row.0.clone()).collect())),
            column("number", Values::Float(rows.iter().map(|row| row.1).collect())),
            column("count", Values::Int(rows.iter().map(|row| row.2).collect())),
            column("flag", Values::Bool(rows.iter().map(|row| row.3).collect())),
        ];
        come_back(&columns);
    }

    /// No character of a name keeps its meaning for LaTeX: what is left of specials is escaped.
    #[test]
    fn no_name_is_a_command(name in any::<String>()) {
        let safe = latex_escaped(&name);
        let mut plain = safe.clone();
        for word in [
            "textbackslash{}", "textasciitilde{}", "textasciicircum{}", "textless{}", "textgreater{}",
            "textbar{}", "textperiodcentered{}",
        ] {
            plain = plain.replace(&format!("\\{word}"), "");
        }
        for special in ['&', '%', '$', '#', '_', '{', '}'] {
            plain = plain.replace(&format!("\\{special}"), "");
        }
        prop_assert!(!plain.contains(['&', '%', '$', '#', '_', '{', '}', '~', '^', '\\']), "{safe}");
        prop_assert!(!safe.chars().any(char::is_control));
    }
}

#[test]
fn latex_has_every_run_and_escapes_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = two_runs(folder.path());
    let records = read_runs(&paths).expect("runs")[0].records.clone();
    let odd = folder.path().join("odd");
    write_run(&odd, "50%_of & $x$ \\input{/etc/passwd}\n\\end{tabular}", &records);
    let mut paths = paths;
    paths.push(odd);
    let report = Report::gather(read_runs(&paths).expect("runs"), &NoScenes, &|_| {});
    let text = latex(&report, &TaskResults::all(&report));
    assert!(
        text.contains(
            r"50\%\_of \& \$x\$ \textbackslash{}input\{/etc/passwd\} \textbackslash{}end\{tabular\}"
        ),
        "{text}"
    );
    assert_eq!(text.matches(r"\begin{tabular}").count(), text.matches(r"\end{tabular}").count());
    assert!(text.contains("careful & 6 & 1.000 {\\scriptsize $[1.000, 1.000]$} & 0.450"), "{text}");
    // Every line of a table ends as one.
    for line in text.lines().filter(|line| line.contains(" & ")) {
        assert!(line.ends_with("\\\\"), "{line}");
    }
}

#[test]
fn columns_of_unequal_length_are_refused() {
    let columns = [
        Column { name: "a".to_owned(), values: Values::Int(vec![Some(1)]) },
        Column { name: "b".to_owned(), values: Values::Int(vec![]) },
    ];
    let error = parquet(&columns).expect_err("refused");
    assert!(error.to_string().contains("column b has 0 rows"), "{error}");
}
