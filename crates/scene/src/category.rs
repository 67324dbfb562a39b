/// Categories of the building itself, in normal form ([`normal_name`]). They label surfaces, and
/// nobody is sent to find one: episode generators leave them out as goals. Doors and windows are
/// not among them: a frame is a thing that can be looked for.
pub const STRUCTURAL_CATEGORIES: &[&str] = &[
    "background",
    "beam",
    "ceiling",
    "column",
    "completely_inferred",
    "floor",
    "global_mesh",
    "house_wall",
    "inferred",
    "inner_wall_face",
    "invisible_wall_face",
    "kind5",
    "kind7",
    "misc",
    "object",
    "objects",
    "other",
    "room",
    "room_wall",
    "stairs",
    "unknown",
    "unlabeled",
    "unlabelled",
    "void",
    "wall",
    "wall_face",
    "world",
];

/// True for a category of the building itself, and for the empty name.
pub fn is_structural(category: &str) -> bool {
    category.is_empty() || STRUCTURAL_CATEGORIES.binary_search(&category).is_ok()
}

/// A name in Ambler's normal form: lower snake case. Words are split at everything that is not a
/// letter or digit and where a capital follows a small letter: `WALL_FACE` → `wall_face`,
/// `NightStand` → `night_stand`, `tv monitor` → `tv_monitor`.
///
/// A single capital that ends a name in mixed case is a variant's letter, not part of the name,
/// and is dropped: `AirconditionerA` → `airconditioner`.
pub fn normal_name(name: &str) -> String {
    let characters: Vec<char> = name.trim().chars().collect();
    let mut out = String::with_capacity(characters.len() + 4);
    for (index, &c) in characters.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        let before = index.checked_sub(1).and_then(|i| characters.get(i)).copied();
        if c.is_uppercase() && before.is_some_and(|b| b.is_lowercase()) {
            if index + 1 == characters.len() {
                break;
            }
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    while out.ends_with('_') {
        out.pop();
    }
    out
}

/// [`normal_name`] of a label, empty for the words that say "no label".
pub(crate) fn label_name(name: &str) -> String {
    let name = normal_name(name);
    match name.as_str() {
        "unlabelled" | "unlabeled" | "none" | "null" => String::new(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_lower_snake_case() {
        for (from, to) in [
            ("WALL_FACE", "wall_face"),
            ("NightStand", "night_stand"),
            ("AirconditionerA", "airconditioner"),
            ("tv monitor", "tv_monitor"),
            ("  chest-of-drawers ", "chest_of_drawers"),
            ("TV", "tv"),
            ("kind5", "kind5"),
            ("", ""),
            ("___", ""),
        ] {
            assert_eq!(normal_name(from), to, "{from}");
        }
    }

    #[test]
    fn the_structural_list_is_sorted_and_in_normal_form() {
        assert!(STRUCTURAL_CATEGORIES.is_sorted());
        for name in STRUCTURAL_CATEGORIES {
            assert_eq!(&normal_name(name), name);
        }
        assert!(is_structural("wall_face") && is_structural("") && !is_structural("couch"));
    }
}
