//! Names of things, compared loosely.

use ambler_scene::normal_name;

/// The words of a name, in normal form, without the plural's s.
pub(crate) fn words(name: &str) -> Vec<String> {
    normal_name(name).split('_').filter(|word| !word.is_empty()).map(singular).collect()
}

/// A name in normal form, its last word in the singular.
pub(crate) fn plain(name: &str) -> String {
    words(name).join("_")
}

fn singular(word: &str) -> String {
    let keep = word.len() < 4 || ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match word {
        _ if keep => word.to_owned(),
        "shelves" => "shelf".to_owned(),
        "knives" => "knife".to_owned(),
        // Pairs and masses that are named so.
        "clothes" | "glasses" | "sunglasses" | "headphones" | "scissors" | "stairs" | "keys" => {
            word.to_owned()
        }
        _ => {
            let es = ["ches", "shes", "sses", "xes"].iter().any(|end| word.ends_with(end));
            let end = if es { 2 } else { usize::from(word.ends_with('s')) };
            word[..word.len() - end].to_owned()
        }
    }
}

/// Levenshtein distance over the first 32 characters of each: how far a name is from another.
pub fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(32).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().take(32).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_case_marks_and_plural() {
        for (name, wanted) in [
            ("Coffee Mugs", "coffee_mug"),
            ("wall-shelves", "wall_shelf"),
            ("glass", "glass"),
            ("toothbrushes", "toothbrush"),
            ("boxes", "box"),
            ("sunglasses", "sunglasses"),
            ("bus", "bus"),
            ("", ""),
        ] {
            assert_eq!(plain(name), wanted);
        }
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
