use crate::columns::{Column, Values};

/// Columns as a CSV file (RFC 4180, UTF-8): a line of names, then a line a row. A value that is absent is
/// empty; empty text is `""`. Numbers are in the shortest form that reads back to the same bits.
///
/// ```
/// use ambler_report::{Column, Values, csv};
/// let name = |name: &str| name.to_owned();
/// let columns = [
///     Column { name: name("scene"), values: Values::Text(vec![Some(name("a \"b\", c")), None]) },
///     Column { name: name("spl"), values: Values::Float(vec![Some(0.1), None]) },
/// ];
/// assert_eq!(csv(&columns), "scene,spl\r\n\"a \"\"b\"\", c\",0.1\r\n,\r\n");
/// ```
pub fn csv(columns: &[Column]) -> String {
    let mut out = String::new();
    let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
    out += &names.join(",");
    out += "\r\n";
    let rows = columns.iter().map(|column| column.values.len()).max().unwrap_or(0);
    for row in 0..rows {
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            out += &cell(&column.values, row).unwrap_or_default();
        }
        out += "\r\n";
    }
    out
}

fn cell(values: &Values, row: usize) -> Option<String> {
    match values {
        Values::Text(values) => values.get(row)?.as_ref().map(|text| quoted(text)),
        Values::Float(values) => values.get(row)?.map(|value| value.to_string()),
        Values::Int(values) => values.get(row)?.map(|value| value.to_string()),
        Values::Bool(values) => values.get(row)?.map(|value| value.to_string()),
    }
}

fn quoted(text: &str) -> String {
    let plain = |c: char| !matches!(c, '"' | ',' | '\r' | '\n') && !c.is_control();
    let bare = !text.is_empty() && text.chars().all(plain) && text.trim() == text;
    if bare { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
