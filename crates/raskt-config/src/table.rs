//! The table of all settings: names, bounds, defaults and what they are for.

use crate::near::nearest;
use crate::{Error, Key, Kind, Origin, Value};

/// One thing that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name, groups first: `array.chunk-size`.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is until somebody sets it, as one would write it in a file.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
}

const TIB: u64 = 1 << 40;

/// Everything that can be set, in alphabetical order.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "array.chunk-size",
        kind: Kind::Bytes { least: 64, most: TIB },
        // A block of 16 MiB is a millisecond or two of work, a thousand times what the scheduler spends on a task and
        // still much more than a Python function costs; a thread holds only a few at a time.
        default: "16MiB",
        about: "How large the blocks of an array are made when its chunks are chosen automatically.",
    },
    Setting {
        key: "flight-record",
        kind: Kind::OptionalPath,
        default: "null",
        about: "The folder in which each engine writes down what happens to its scheduler; null means nowhere.",
    },
    Setting {
        key: "library-threads",
        kind: Kind::Choice(&[("held", &[]), ("free", &[])]),
        default: "held",
        about: "Whether BLAS, OpenMP and Arrow are held to one thread for each task while Python tasks run in parallel.",
    },
    Setting {
        key: "memory.disk-limit",
        kind: Kind::OptionalBytes { least: 0, most: 1024 * TIB },
        default: "null",
        about: "How much of the disk results may take that don't fit into memory; null means all that is free.",
    },
    Setting {
        key: "memory.limit",
        kind: Kind::OptionalBytes { least: 1 << 20, most: 1024 * TIB },
        default: "null",
        about: "How much memory this process may take; null means eight tenths of what the machine or the container has.",
    },
    Setting {
        key: "memory.spill-path",
        kind: Kind::OptionalPath,
        default: "null",
        about: "The folder in which results lie that don't fit into memory; null means with other temporary files.",
    },
    Setting {
        key: "num-workers",
        kind: Kind::OptionalCount { least: 1, most: 4096 },
        default: "null",
        about: "How many threads run tasks; null means one for each processor that this process may use.",
    },
    Setting {
        key: "progress.interval",
        kind: Kind::Seconds { least: 0.01, most: 3600.0 },
        default: "0.1",
        about: "Seconds between two drawings of a progress bar.",
    },
    Setting {
        key: "progress.minimum",
        kind: Kind::Seconds { least: 0.0, most: 86400.0 },
        default: "0",
        about: "Seconds that a computation runs before its progress bar is drawn.",
    },
    Setting {
        key: "progress.width",
        kind: Kind::Count { least: 1, most: 1000 },
        default: "40",
        about: "Characters between the brackets of a progress bar.",
    },
    Setting {
        key: "scheduler",
        kind: Kind::Choice(&[
            ("threads", &["threading"]),
            ("processes", &["multiprocessing"]),
            ("sync", &["synchronous", "single-threaded"]),
        ]),
        default: "threads",
        about: "Where tasks run: on a pool of threads, Python functions in processes, or all in the thread that calls.",
    },
];

impl Setting {
    /// The default, as the setting holds it.
    pub fn default_value(&self) -> Value {
        let written = crate::yaml::parse_value(self.default);
        self.kind.normalise(&written).expect("the table's defaults are allowed by the table")
    }
}

/// Checks one value under the rules of the table, and gives it as the setting holds it: `"64MiB"` as 67108864.
///
/// A key under a name that isn't raskt's passes as it is.
pub(crate) fn check(key: &Key, value: Value, origin: &Origin) -> Result<Value, Error> {
    if let Some(setting) = find(key) {
        return setting.kind.normalise(&value).map_err(|_| Error::Value {
            key: setting.key.into(),
            value: value.to_string(),
            allowed: setting.kind.to_string(),
            origin: origin.clone(),
        });
    }
    if let Some(member) = SETTINGS.iter().find(|setting| key.holds(&Key::parse(setting.key))) {
        return Err(Error::Group { key: key.to_string(), member: member.key.into(), origin: origin.clone() });
    }
    let near = nearest(key.canonical(), SETTINGS.iter().map(|setting| setting.key));
    if is_raskts(key) || near.is_some() {
        return Err(Error::Unknown { key: key.to_string(), near, origin: origin.clone() });
    }
    Ok(value)
}

fn find(key: &Key) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key.canonical())
}

/// Whether the key would be one of raskt's own: it has no group, or its group is one of the table's.
fn is_raskts(key: &Key) -> bool {
    let Some((group, _)) = key.canonical().split_once('.') else { return true };
    SETTINGS.iter().any(|setting| setting.key.split('.').next() == Some(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_default_is_allowed() {
        assert!(SETTINGS.is_sorted_by_key(|setting| setting.key));
        for setting in SETTINGS {
            setting.default_value();
        }
    }

    #[test]
    fn keys_of_other_programs_pass_and_misspelt_ones_do_not() {
        let check = |key: &str| check(&Key::parse(key), Value::Integer(1), &Origin::Code).map_err(|e| e.to_string());
        assert_eq!(check("myproject.colour"), Ok(Value::Integer(1)));
        assert_eq!(
            check("arry.chunk-size"),
            Err("there is no setting `arry.chunk-size`; did you mean `array.chunk-size`?".into())
        );
        assert_eq!(check("array.colour"), Err("there is no setting `array.colour`".into()));
        assert_eq!(check("workers"), Err("there is no setting `workers`; did you mean `num-workers`?".into()));
        assert_eq!(
            check("array"),
            Err("`array` is a group of settings: give its members, such as `array.chunk-size`".into())
        );
    }
}
