//! Text in pages.

/// Text as HTML shows it, in elements and in quoted attributes. What would move a reader's cursor is a
/// dot.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c if c.is_control() || bidi(c) => out.push('·'),
            c => out.push(c),
        }
    }
    out
}

fn bidi(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A name that is cut where it is longer than `most` characters; not escaped.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A relative path as a link: everything but letters, digits and `/ . - _` is percent-encoded, so that no
/// name becomes a scheme or a script.
pub(super) fn link(path: &str) -> String {
    let mut out = String::new();
    // A first part with a colon would be a scheme.
    if !path.starts_with(['.', '/']) {
        out += "./";
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// A number with so many decimals; a dash where there is none or it is not finite.
pub(super) fn number(value: Option<f64>, digits: usize) -> String {
    match value.filter(|value| value.is_finite()) {
        Some(value) => minus(&format!("{value:.digits$}")),
        None => "–".to_owned(),
    }
}

/// A number as text, with a true minus sign.
pub(super) fn minus(number: &str) -> String {
    number.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_markup() {
        let hostile = "<script>alert('x')</script> & \"q\"\u{202e}\n";
        let safe = escaped(hostile);
        assert!(!safe.contains(['<', '>', '"', '\'', '\n', '\u{202e}']), "{safe}");
        assert!(safe.starts_with("&lt;script&gt;alert(&#39;x&#39;)"), "{safe}");
    }

    #[test]
    fn a_link_is_a_path_whatever_the_name() {
        assert_eq!(link("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(link("../runs/a b/x.mcap"), "../runs/a%20b/x.mcap");
        assert_eq!(link("runs/ü\"<"), "./runs/%C3%BC%22%3C");
    }
}
