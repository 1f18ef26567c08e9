//! Points in time as ISO 8601 writes them, told by their characters.

/// How the points in time of a column are written: all in one form, as pandas wants them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct DateShape {
    /// How many characters there are.
    length: usize,
    /// What stands between day and time.
    between: Option<u8>,
    /// Whether a `Z` says that it is universal time.
    universal: bool,
}

impl DateShape {
    /// The form of a field; nothing if it isn't a point in time that exists, or is written in another form.
    pub(super) fn of(field: &[u8]) -> Option<Self> {
        let (text, universal) = match field.strip_suffix(b"Z") {
            Some(text) => (text, true),
            None => (field, false),
        };
        let length = text.len();
        if length < 10 || !is_day(&text[..10]) {
            return None;
        }
        let shape = Self { length: field.len(), between: text.get(10).copied(), universal };
        let is_time = match &text[10..] {
            [] => !universal,
            [b' ' | b'T', time @ ..] => is_time(time),
            _ => false,
        };
        is_time.then_some(shape)
    }

    /// The form as the engine's parser wants it.
    pub(super) fn format(self) -> String {
        let length = self.length - usize::from(self.universal);
        let time = match length {
            10 => "",
            16 => "%H:%M",
            19 => "%H:%M:%S",
            _ => "%H:%M:%S%.f",
        };
        let between = self.between.map(char::from).map(String::from).unwrap_or_default();
        format!("%Y-%m-%d{between}{time}{}", if self.universal { "Z" } else { "" })
    }
}

/// The value of some digits.
fn number(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
}

fn is_day(text: &[u8]) -> bool {
    let [year, month, day] = [&text[..4], &text[5..7], &text[8..10]].map(number);
    let (Some(year), Some(month), Some(day)) = (year, month, day) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        1..=12 => 31,
        _ => 0,
    };
    text[4] == b'-' && text[7] == b'-' && year > 0 && (1..=days).contains(&day)
}

fn is_time(text: &[u8]) -> bool {
    let below = |at: usize, limit: u32| text.get(at..at + 2).and_then(number).is_some_and(|value| value < limit);
    let colon = |at: usize| text.get(at) == Some(&b':');
    let minutes = below(0, 24) && colon(2) && below(3, 60);
    let seconds = || colon(5) && below(6, 60);
    match text.len() {
        5 => minutes,
        8 => minutes && seconds(),
        10..=15 => minutes && seconds() && text[8] == b'.' && number(&text[9..]).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::DateShape;

    #[test]
    fn forms_are_told_by_their_characters() {
        for (field, expected) in [
            ("2013-01-01", Some("%Y-%m-%d")),
            ("2013-01-01 05:00", Some("%Y-%m-%d %H:%M")),
            ("2013-01-01T05:00:59", Some("%Y-%m-%dT%H:%M:%S")),
            ("2013-01-01T05:00:59Z", Some("%Y-%m-%dT%H:%M:%SZ")),
            ("2013-01-01 05:00:59.250", Some("%Y-%m-%d %H:%M:%S%.f")),
            ("2012-02-29", Some("%Y-%m-%d")),
            ("2013-02-29", None),
            ("2013-13-01", None),
            ("2013-01-01 24:00", None),
            ("2013-01-01 05:00:59.1234567", None),
            ("2013-01-01 05:00:59+02:00", None),
            ("2013/01/01", None),
            ("20130101", None),
            ("", None),
        ] {
            assert_eq!(DateShape::of(field.as_bytes()).map(DateShape::format).as_deref(), expected, "{field}");
        }
    }
}
