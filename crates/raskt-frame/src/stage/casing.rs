//! Upper and lower case as Arrow has them under pandas: one character for one, by Unicode's simple mappings. The engine,
//! Rust and Python map some characters to several.

use polars::prelude::*;

/// What becomes of the letters of a text.
#[derive(Clone, Copy)]
pub(super) enum Casing {
    Lower,
    Upper,
    /// The first character in upper case, the others in lower case.
    Capitalized,
}

impl Casing {
    fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Capitalized => "capitalize",
        }
    }

    fn write(self, text: &str, found: &mut String) {
        if text.is_ascii() {
            found.push_str(text);
            match self {
                Self::Upper => found.make_ascii_uppercase(),
                Self::Lower => found.make_ascii_lowercase(),
                Self::Capitalized => {
                    found.make_ascii_lowercase();
                    if let Some(first) = found.get_mut(..1) {
                        first.make_ascii_uppercase();
                    }
                }
            }
            return;
        }
        match self {
            Self::Upper => found.extend(text.chars().map(upper)),
            Self::Lower => found.extend(text.chars().map(lower)),
            Self::Capitalized => {
                let mut letters = text.chars();
                found.extend(letters.next().map(upper));
                found.extend(letters.map(lower));
            }
        }
    }
}

/// Texts in another case.
pub(super) fn cased(x: Expr, casing: Casing) -> Expr {
    let write = move |values: Column| {
        let texts = values.as_materialized_series().str()?;
        Ok(texts.apply_into_string_amortized(|text, found| casing.write(text, found)).into_column())
    };
    x.map_with_fmt_str(write, |_: &Schema, field: &Field| Ok(field.clone()), casing.name())
}

/// The simple upper case of a character.
fn upper(letter: char) -> char {
    let mut full = letter.to_uppercase();
    match (full.next(), full.next()) {
        (Some(only), None) => only,
        _ => match letter {
            'ß' => 'ẞ',
            // Greek letters with an iota below, which the full mapping writes beside them.
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => moved(letter, 8),
            '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => moved(letter, 9),
            letter => letter,
        },
    }
}

/// The simple lower case of a character.
fn lower(letter: char) -> char {
    let mut full = letter.to_lowercase();
    match (full.next(), full.next()) {
        (Some(only), None) => only,
        // The only letter whose full mapping has more than one character.
        _ => 'i',
    }
}

fn moved(letter: char, by: u32) -> char {
    char::from_u32(u32::from(letter) + by).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_mapped_one_to_one() {
        for (text, upper, lower, capitalized) in [
            ("straße", "STRAẞE", "straße", "Straße"),
            ("ßA", "ẞA", "ßa", "ẞa"),
            ("ΑΣ", "ΑΣ", "ασ", "Ασ"),
            ("İI", "İI", "ii", "İi"),
            ("ᾳᾀŉ", "ᾼᾈŉ", "ᾳᾀŉ", "ᾼᾀŉ"),
            ("aB", "AB", "ab", "Ab"),
            ("", "", "", ""),
        ] {
            for (casing, expected) in
                [(Casing::Upper, upper), (Casing::Lower, lower), (Casing::Capitalized, capitalized)]
            {
                let mut found = String::new();
                casing.write(text, &mut found);
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn one_letter_alone_has_a_lower_case_of_several() {
        let several = |letter: &char| letter.to_lowercase().count() > 1;
        assert_eq!(('\0'..=char::MAX).filter(several).collect::<Vec<_>>(), ['İ']);
    }
}
