//! Sizes as people write them.

/// The units that people write, and how many bytes each is; `M` alone is the decimal one, as in Dask.
const UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("b", 1),
    ("k", 1000),
    ("kb", 1000),
    ("kib", 1 << 10),
    ("m", 1_000_000),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("g", 1_000_000_000),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("t", 1_000_000_000_000),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
];

/// The bytes that `64MiB`, `1.5 GB` or `100` stand for; `None` if it isn't a number and a unit.
pub(crate) fn parse_bytes(text: &str) -> Option<i64> {
    let text = text.trim().to_ascii_lowercase();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
    if let Ok(whole) = number.parse::<u64>() {
        return i64::try_from(whole.checked_mul(*factor)?).ok();
    }
    let bytes = number.parse::<f64>().ok()? * *factor as f64;
    (bytes < i64::MAX as f64).then_some(bytes as i64)
}

/// A number of bytes in the largest binary unit that leaves it whole.
pub(crate) fn write_bytes(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let fitting = units.iter().find(|(_, shift)| bytes >= 1 << shift && bytes.trailing_zeros() >= *shift);
    match fitting {
        Some((unit, shift)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_may_be_written_in_any_case_and_apart() {
        for (text, bytes) in
            [("100", 100), ("64MiB", 64 << 20), ("1.5 GB", 1_500_000_000), ("8 kib", 8192), ("2T", 2_000_000_000_000)]
        {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "MiB", "-1", "1.2.3", "5 apples", "99999999999 TiB", "nan"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_written_without_loss() {
        assert_eq!(write_bytes(8 << 20), "8 MiB");
        assert_eq!(write_bytes(1000), "1000 B");
        assert_eq!(write_bytes(1 << 40), "1 TiB");
    }
}
