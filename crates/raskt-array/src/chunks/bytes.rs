use crate::{ArrayError, Result};

/// The number of bytes that `text` names: `"8MB"`, `"128 MiB"`, `"1e6"`.
///
/// ```
/// assert_eq!(raskt_array::parse_bytes("8MB").unwrap(), 8_000_000);
/// assert_eq!(raskt_array::parse_bytes("1.5 KiB").unwrap(), 1536);
/// assert!(raskt_array::parse_bytes("much").is_err());
/// ```
pub fn parse_bytes(text: &str) -> Result<usize> {
    let refused = || ArrayError::Value(format!("`{text}` is not a size: write it as in \"128 MiB\" or \"8MB\""));
    let compact: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let unit_at =
        compact.rfind(|character: char| character.is_ascii_digit() || character == '.').map_or(0, |at| at + 1);
    let (number, unit) = compact.split_at(unit_at);
    let number: f64 =
        if number.is_empty() && !unit.is_empty() { 1.0 } else { number.parse().map_err(|_| refused())? };
    let factor = factor(unit).ok_or_else(refused)?;
    if !(number.is_finite() && number >= 0.0) {
        return Err(refused());
    }
    Ok((number * factor) as usize)
}

fn factor(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (prefix, base) = match unit.strip_suffix('i') {
        Some(prefix) => (prefix, 1024.0_f64),
        None => (unit, 1000.0),
    };
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|&known| known == prefix)?;
    Some(base.powi(power as i32))
}
