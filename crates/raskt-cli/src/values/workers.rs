//! How many workers, and how many threads each.

use std::str::FromStr;

/// What `--nworkers` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerCount {
    /// As many as suit the processors.
    Auto,
    /// So many.
    Count(usize),
    /// So many fewer than processors, and one more: `-1` is one for each.
    FromEnd(usize),
}

/// The most workers that one nanny looks after.
const MOST: usize = 4096;

impl FromStr for WorkerCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.trim(), text.trim().parse::<i64>()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(count)) if count > 0 && count <= MOST as i64 => Ok(Self::Count(count as usize)),
            (_, Ok(count)) if count < 0 && count >= -(MOST as i64) => Ok(Self::FromEnd(count.unsigned_abs() as usize)),
            _ => {
                Err(format!("a number of workers is one from 1 to {MOST}, `-1` for one for each processor, or `auto`"))
            }
        }
    }
}

impl WorkerCount {
    /// How many workers on so many processors, and how many threads each has unless that is said.
    pub fn on(self, processors: usize) -> Result<(usize, usize), String> {
        let processors = processors.max(1);
        let workers = match self {
            Self::Auto => groups(processors),
            Self::Count(count) => count,
            Self::FromEnd(fewer) if fewer <= processors => processors + 1 - fewer,
            Self::FromEnd(fewer) => {
                return Err(format!(
                    "-{fewer} workers on {processors} processors are none: -{processors} is one worker"
                ));
            }
        };
        Ok((workers, (processors / workers).max(1)))
    }
}

/// Few processors have a worker each; of many, the smallest number of workers that divides them and is their root at least.
fn groups(processors: usize) -> usize {
    if processors <= 4 {
        return processors;
    }
    (1..=processors)
        .find(|count| processors.is_multiple_of(*count) && count * count >= processors)
        .unwrap_or(processors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_and_threads_together_use_the_processors() {
        let asked = |text: &str, processors| text.parse::<WorkerCount>().unwrap().on(processors);
        let on = |text: &str, processors| asked(text, processors).unwrap();
        assert_eq!(on("auto", 2), (2, 1));
        assert_eq!(on("auto", 16), (4, 4));
        assert_eq!(on("auto", 12), (4, 3));
        assert_eq!(on("auto", 7), (7, 1));
        assert_eq!(on("3", 8), (3, 2));
        assert_eq!(on("16", 8), (16, 1));
        assert_eq!(on("-1", 8), (8, 1));
        assert_eq!(on("-8", 8), (1, 8));
        assert_eq!(asked("-9", 8).unwrap_err(), "-9 workers on 8 processors are none: -8 is one worker");
        for bad in ["", "0", "many", "5000", "1.5"] {
            assert!(bad.parse::<WorkerCount>().is_err(), "{bad}");
        }
    }
}
