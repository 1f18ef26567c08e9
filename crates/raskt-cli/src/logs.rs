//! `raskt logs`.

use crate::asking::{AskingOptions, plain};
use crate::facts::say;
use crate::failure::Failure;
use crate::host::Host;
use humantime::format_rfc3339_millis;
use raskt_cluster::{Answer, LogFacts, Question};
use serde_json::json;
use std::time::{Duration, SystemTime};

/// Shows what a scheduler has noted down: who came and left, and why.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    asking: AskingOptions,
    /// The last so many notes; a scheduler keeps a thousand.
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 100, allow_hyphen_values = true)]
    lines: usize,
    /// A note a line, as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  raskt logs tcp://127.0.0.1:8786
  raskt logs --scheduler-file /tmp/cluster.json --lines 1000 --json

What workers log is on their standard error, and the last of it comes by `client.get_worker_logs()`.";

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let timeout = options.asking.timeout;
    let answer = options
        .asking
        .ask("raskt logs", host, |_, client| client.ask(Question::Log, timeout).map_err(Failure::failed))?;
    let Answer::Log(notes) = answer else {
        return Err(Failure::failed("the scheduler has answered something else"));
    };
    let now = SystemTime::now();
    let skipped = notes.len().saturating_sub(options.lines);
    for note in &notes[skipped..] {
        let at = now.checked_sub(Duration::from_nanos(note.age_nanoseconds)).unwrap_or(SystemTime::UNIX_EPOCH);
        say(if options.json { as_json(note, at) } else { as_line(note, at) });
    }
    Ok(0)
}

fn as_line(note: &LogFacts, at: SystemTime) -> String {
    format!("{} {:7} {}", format_rfc3339_millis(at), plain(&note.level), plain(&note.words))
}

fn as_json(note: &LogFacts, at: SystemTime) -> String {
    json!({ "time": format_rfc3339_millis(at).to_string(), "level": note.level, "message": note.words }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_others_wrote_steers_a_terminal() {
        let note = LogFacts { age_nanoseconds: 0, level: "INFO".into(), words: "a\u{1b}[2Jb\nc".into() };
        assert_eq!(as_line(&note, SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00.000Z INFO    a?[2Jb?c");
    }
}
