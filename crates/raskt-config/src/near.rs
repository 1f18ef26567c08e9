//! The word that somebody meant who mistyped it.

/// The word that `word` was most likely meant to be, if there is one: the nearest by edits, or one that it is a part of.
pub(crate) fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let by_edits = words.clone().map(|other| (edits(word, other), other)).min();
    let tolerated = 1 + word.len() / 8;
    if let Some((_, other)) = by_edits.filter(|(distance, _)| *distance <= tolerated) {
        return Some(other.to_string());
    }
    // `workers` for `num-workers`, `chunk-size` for `array.chunk-size`.
    let mut containing =
        words.filter(|other| other.split(['.', '-']).any(|part| part == word) || other.ends_with(&format!(".{word}")));
    containing.next().filter(|_| !word.is_empty()).map(str::to_string)
}

/// How many letters to insert, delete or replace to turn `a` into `b` (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("same", "same"), 0);
    }

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let near = |word| nearest(word, ["array.chunk-size", "num-workers", "scheduler"].into_iter());
        assert_eq!(near("array.chunksize").as_deref(), Some("array.chunk-size"));
        assert_eq!(near("nun-workers").as_deref(), Some("num-workers"));
        assert_eq!(near("chunk-size").as_deref(), Some("array.chunk-size"));
        assert_eq!(near("colour"), None);
        assert_eq!(near(""), None);
    }
}
