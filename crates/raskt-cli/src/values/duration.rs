//! Lengths of time as people write them.

use std::time::Duration;

/// Units, and how many seconds each is.
const UNITS: &[(&[&str], f64)] = &[
    (&["", "s", "sec", "second", "seconds"], 1.0),
    (&["ms", "millisecond", "milliseconds"], 0.001),
    (&["m", "min", "minute", "minutes"], 60.0),
    (&["h", "hr", "hour", "hours"], 3600.0),
    (&["d", "day", "days"], 86_400.0),
    (&["w", "week", "weeks"], 604_800.0),
];

/// The longest that is allowed: a hundred years.
const LONGEST_SECONDS: f64 = 3.2e9;

/// The time that `30s`, `5 minutes`, `1.5h` or `90` stand for.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let lower = text.trim().to_ascii_lowercase();
    let split = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(split);
    let factor = UNITS.iter().find(|(names, _)| names.contains(&unit.trim())).map(|(_, factor)| factor);
    let seconds = number.parse::<f64>().ok().zip(factor).map(|(number, factor)| number * factor);
    seconds.filter(|seconds| (0.0..=LONGEST_SECONDS).contains(seconds)).map(Duration::from_secs_f64).ok_or_else(|| {
        "a length of time is a number of seconds, or one with a unit, like `30s`, `5 minutes` or `1.5h`".into()
    })
}

/// The same where none at all would end whoever is to wait as it begins.
pub(crate) fn parse_lasting(text: &str) -> Result<Duration, String> {
    let found = parse_duration(text)?;
    if found.is_zero() { Err("that is over as it begins: leave the option out for no end".into()) } else { Ok(found) }
}

/// The same as it is read again.
pub(crate) fn write_duration(duration: Duration) -> String {
    format!("{}s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_are_those_that_people_write() {
        for (text, seconds) in
            [("90", 90.0), ("1.5h", 5400.0), ("5 minutes", 300.0), ("250ms", 0.25), ("2D", 172_800.0), ("0", 0.0)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for bad in ["", "s", "-1", "1 fortnight", "1.2.3s", "nan", "99999999999 weeks"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(milliseconds in 0..1_000_000_000_000_u64) {
            let duration = Duration::from_millis(milliseconds);
            let read = parse_duration(&write_duration(duration)).unwrap();
            prop_assert!(read.abs_diff(duration) < Duration::from_micros(1));
        }
    }
}
