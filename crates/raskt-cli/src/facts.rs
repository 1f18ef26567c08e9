//! What a command says on standard output: a fact a line, `name: value`, at once, so that whoever started it can read it.

use std::fmt::Display;
use std::io::{Write, stdout};

/// Says a fact. Whoever has closed the output doesn't want to know.
pub(crate) fn fact(name: &str, value: impl Display) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{name}: {value}").and_then(|()| out.flush());
}

/// Says what was asked for.
pub(crate) fn say(text: impl Display) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Says bytes that somebody else has written, after a prefix.
pub(crate) fn pass_on(to: &mut dyn Write, prefix: &str, line: &[u8]) {
    let mut whole = Vec::with_capacity(prefix.len() + line.len() + 4);
    whole.extend_from_slice(format!("[{prefix}] ").as_bytes());
    whole.extend_from_slice(line);
    whole.push(b'\n');
    let _ = to.write_all(&whole).and_then(|()| to.flush());
}
