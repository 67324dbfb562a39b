//! Tables for a terminal, for plain text and for Markdown.

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A light rule under the heads, for a terminal that shows Unicode.
    Unicode,
    /// The same in ASCII alone.
    Ascii,
    /// A Markdown table.
    Markdown,
}

/// Rows of text; the first column is aligned left, the others right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

const GAP: usize = 2;
/// A first column is never cut below this.
const MIN_FIRST: usize = 8;

impl Table {
    /// A table with these heads.
    pub fn new(heads: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty, further ones are dropped.
    pub fn push(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).take(self.heads.len()).collect();
        row.resize(self.heads.len(), String::new());
        self.rows.push(row);
    }

    /// Width in columns of a terminal, before any cutting.
    pub fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.heads.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| display_width(&plain(&row[column])));
                cells.chain([display_width(&self.heads[column])]).max().unwrap_or(0)
            })
            .collect()
    }

    /// The table as text, each line ended. In a terminal of `width` columns the first column is cut
    /// where the table is too wide; Markdown is never cut. No line ends in a space.
    pub fn render(&self, style: Style, width: Option<usize>) -> String {
        if style == Style::Markdown {
            return self.markdown();
        }
        let mut widths = self.widths();
        if let (Some(width), Some(first)) = (width, widths.first().copied()) {
            let excess = self.width().saturating_sub(width);
            widths[0] = first.saturating_sub(excess).max(MIN_FIRST.min(first));
        }
        let (rule, cut) = match style {
            Style::Ascii => ("-", "..."),
            _ => ("─", "…"),
        };
        let mut out = String::new();
        line(&mut out, &self.heads, &widths, cut);
        let rules: Vec<String> = widths.iter().map(|&width| rule.repeat(width)).collect();
        line(&mut out, &rules, &widths, cut);
        for row in &self.rows {
            line(&mut out, row, &widths, cut);
        }
        if style == Style::Ascii {
            out = out.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
        }
        out
    }

    fn markdown(&self) -> String {
        let mut out = String::new();
        let mut row = |cells: &[String]| {
            for cell in cells {
                let cell = plain(cell).replace('\\', "\\\\").replace('|', "\\|");
                out += &format!("| {cell} ");
            }
            out += "|\n";
        };
        row(&self.heads);
        let rule = |column: usize| if column == 0 { ":--" } else { "--:" };
        row(&(0..self.heads.len()).map(|column| rule(column).to_owned()).collect::<Vec<_>>());
        self.rows.iter().for_each(|cells| row(cells));
        out
    }
}

fn line(out: &mut String, cells: &[String], widths: &[usize], cut: &str) {
    let mut text = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let cell = fitted(&plain(cell), width, cut);
        let space = " ".repeat(width.saturating_sub(display_width(&cell)));
        if column == 0 {
            text += &cell;
            text += &space;
        } else {
            text += &" ".repeat(GAP);
            text += &space;
            text += &cell;
        }
    }
    *out += text.trim_end();
    out.push('\n');
}

fn fitted(text: &str, width: usize, cut: &str) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(display_width(cut));
    let mut kept = String::new();
    for c in text.chars() {
        if display_width(&kept) + char_width(c) > room {
            break;
        }
        kept.push(c);
    }
    kept + cut
}

/// Names come from other people's files: what would move a terminal's cursor is shown as a dot.
fn plain(text: &str) -> String {
    let bidi = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || bidi(c) { '·' } else { c }).collect()
}

fn display_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Two columns for East Asian wide characters and emoji, none for combining accents.
fn char_width(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(["task", "n", "success"]);
        table.push(["all", "12", "0.500"]);
        table.push(["objectnav | 椅子", "8", "0.250"]);
        table
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let expected = "\
task               n  success
────────────────  ──  ───────
all               12    0.500
objectnav | 椅子   8    0.250
";
        assert_eq!(sample().render(Style::Unicode, None), expected);
        assert_eq!(sample().width(), 29);
    }

    #[test]
    fn a_narrow_terminal_cuts_the_first_column() {
        let text = sample().render(Style::Unicode, Some(24));
        assert!(text.lines().all(|line| display_width(line) <= 24), "{text}");
        assert!(text.contains("objectnav…  ") || text.contains("objectnav …"), "{text}");
        let ascii = sample().render(Style::Ascii, Some(24));
        assert!(ascii.is_ascii() && ascii.contains("..."), "{ascii}");
    }

    #[test]
    fn markdown_escapes_its_bars() {
        let text = sample().render(Style::Markdown, Some(10));
        assert_eq!(text.lines().nth(1), Some("| :-- | --: | --: |"));
        assert_eq!(text.lines().nth(3), Some("| objectnav \\| 椅子 | 8 | 0.250 |"));
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        let mut table = Table::new(["name"]);
        table.push(["\u{1b}[2Jx\ny\u{202e}"]);
        let text = table.render(Style::Unicode, None);
        assert_eq!(text.lines().last(), Some("·[2Jx·y·"));
    }
}
