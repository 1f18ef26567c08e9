//! `raskt spec`: several schedulers and workers, as a description says.

use crate::failure::Failure;
use crate::group::{Printer, watch_over};
use crate::host::Host;
use crate::stop::Stop;
use figment::providers::{Format, Yaml};
use figment::value::Value as Parsed;
use raskt_cluster::nanny::{Nanny, NannyOptions, Restart, Rules, WardOptions};
use raskt_config::Value;
use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Starts what a description in YAML or JSON says, and ends when all of it has.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(required = true, multiple = false)]
pub(crate) struct Options {
    /// The description.
    #[arg(long)]
    spec: Option<String>,
    /// The file that it stands in.
    #[arg(long, value_name = "FILE")]
    spec_file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  raskt spec --spec '[{scheduler: {port: 0}}, {worker: {nworkers: 2, nthreads: 1}}]'
  raskt spec --spec-file cluster.yaml

Each entry is `scheduler` or `worker`, with the options of `raskt scheduler` and `raskt worker`. A worker that isn't told of a
scheduler (`address`, `scheduler-file`) belongs to the one of the description.";

/// A longer description isn't read.
const BYTES_MAX: u64 = 1 << 20;
/// Processes of a description, at most.
const ENTRIES_MAX: usize = 1024;

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let stop = Stop::listen(host)?;
    let folder = Folder::make()?;
    let entries = commands(&options.text()?, &folder.0.join("scheduler.json")).map_err(Failure::usage)?;
    let failed = |error: std::io::Error| Failure::failed(format!("processes can't be started: {error}"));
    let program = host.command().map_err(failed)?;
    let ward = |(name, arguments): (String, Vec<OsString>)| WardOptions {
        name,
        command: program.iter().cloned().chain(arguments).collect(),
        restart: Restart::Never,
        memory_limit: None,
        keeps_input: false,
        gives_signs: false,
    };
    let wards = entries.into_iter().map(ward).collect();
    let nanny =
        Nanny::start(NannyOptions { wards, rules: Rules::default(), watcher: Printer::watcher() }).map_err(failed)?;
    Ok(watch_over(&nanny, &stop))
}

impl Options {
    fn text(&self) -> Result<String, Failure> {
        let Some(file) = &self.spec_file else { return Ok(self.spec.clone().unwrap_or_default()) };
        let failed = |why: &dyn std::fmt::Display| Failure::usage(format!("`{}` can't be read: {why}", file.display()));
        let length = file.metadata().map_err(|error| failed(&error))?.len();
        if length > BYTES_MAX {
            return Err(failed(&format!("it has {length} bytes, and may have {BYTES_MAX}")));
        }
        std::fs::read_to_string(file).map_err(|error| failed(&error))
    }
}

/// The name and the arguments of each process of a description.
fn commands(text: &str, scheduler_file: &Path) -> Result<Vec<(String, Vec<OsString>)>, String> {
    let parsed = Yaml::from_str::<Parsed>(text).map_err(|error| format!("the description is no YAML: {error}"))?;
    let Value::List(entries) = Value::from(parsed) else {
        return Err("a description is a list, like `[{scheduler: {port: 0}}, {worker: {nthreads: 2}}]`".into());
    };
    if entries.is_empty() || entries.len() > ENTRIES_MAX {
        return Err(format!("a description has 1 to {ENTRIES_MAX} entries, and this one has {}", entries.len()));
    }
    let entries = entries.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    let schedulers: Vec<_> = entries.iter().filter(|entry| entry.kind == "scheduler").collect();
    if schedulers.len() > 1 {
        return Err("a description has one scheduler at most".into());
    }
    let file = schedulers.first().map(|scheduler| scheduler.file.clone().unwrap_or_else(|| scheduler_file.into()));
    let each = entries.into_iter().enumerate().map(|(at, Entry { kind, mut arguments, file: own, finds_scheduler })| {
        match &file {
            None if kind == "worker" && !finds_scheduler => {
                return Err("a worker needs an `address` or `scheduler-file`, since there is no scheduler in the description".into());
            }
            Some(file) if own.is_none() && !finds_scheduler => {
                arguments.extend(["--scheduler-file".into(), file.into()]);
            }
            _ => {}
        }
        let whole = [OsString::from(&kind)].into_iter().chain(arguments).collect();
        Ok((format!("{kind}-{at}"), whole))
    });
    each.collect()
}

struct Entry {
    kind: String,
    arguments: Vec<OsString>,
    /// The file that it names.
    file: Option<PathBuf>,
    /// Whether it is a worker that knows its scheduler.
    finds_scheduler: bool,
}

fn entry(entry: Value) -> Result<Entry, String> {
    let wrong =
        |entry: &Value| format!("`{entry}` is no entry: it is `scheduler` or `worker`, with its options by name");
    let Value::Map(items) = &entry else { return Err(wrong(&entry)) };
    let mut items = items.iter();
    let (Some((kind, options)), None) = (items.next(), items.next()) else { return Err(wrong(&entry)) };
    let options = match options {
        Value::Map(options) => options.clone(),
        Value::Null => Default::default(),
        _ => return Err(wrong(&entry)),
    };
    if kind != "scheduler" && kind != "worker" {
        return Err(wrong(&entry));
    }
    let (mut arguments, mut address, mut file) = (vec![], None, None);
    for (name, value) in options {
        let name = name.replace('_', "-");
        match (&*name, &value) {
            ("address", Value::Text(text)) if kind == "worker" => address = Some(text.clone()),
            ("scheduler-file", Value::Text(text)) => file = Some(PathBuf::from(text)),
            _ => {}
        }
        if name != "address" || kind != "worker" {
            arguments.extend(option(&name, &value)?);
        }
    }
    let finds_scheduler = kind == "worker" && (address.is_some() || file.is_some());
    // What is no option can't become one.
    arguments.extend(address.into_iter().flat_map(|address| ["--".into(), address.into()]));
    Ok(Entry { kind: kind.clone(), arguments, file, finds_scheduler })
}

/// An option as arguments.
fn option(name: &str, value: &Value) -> Result<Vec<OsString>, String> {
    let is_name = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-');
    if !is_name {
        return Err(format!("`{name}` is no name of an option"));
    }
    let written = |text: String| OsString::from(format!("--{name}={text}"));
    match value {
        Value::Flag(true) => Ok(vec![format!("--{name}").into()]),
        Value::Flag(false) | Value::Null => Ok(vec![]),
        Value::Text(text) => Ok(vec![written(text.clone())]),
        Value::Integer(_) | Value::Float(_) => Ok(vec![written(value.to_string())]),
        Value::List(values) => {
            let each = values.iter().map(|value| option(name, value)).collect::<Result<Vec<_>, _>>()?;
            Ok(each.concat())
        }
        Value::Map(amounts) => {
            let each: Vec<_> = amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
            Ok(vec![written(each.join(" "))])
        }
    }
}

/// A folder that is this user's alone, for as long as the command runs.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("raskt-spec-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| Failure::failed(format!("`{}` can't be made: {error}", path.display())))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Result<Vec<String>, String> {
        let all = commands(text, Path::new("/t/s.json"))?;
        let line = |(_, arguments): (String, Vec<OsString>)| {
            arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        Ok(all.into_iter().map(line).collect())
    }

    #[test]
    fn a_description_becomes_commands() {
        let text = "
- scheduler: {port: 0}
- worker: {nworkers: 2, no_nanny: true, nanny: false, resources: {GPU: 1}, preload: [a, b]}
- worker: {address: 'tcp://127.0.0.1:1'}
- worker:
";
        assert_eq!(
            told(text).unwrap(),
            [
                "scheduler --port=0 --scheduler-file /t/s.json",
                "worker --no-nanny --nworkers=2 --preload=a --preload=b --resources=GPU=1 --scheduler-file /t/s.json",
                "worker -- tcp://127.0.0.1:1",
                "worker --scheduler-file /t/s.json",
            ]
        );
        let own = "[{scheduler: {scheduler-file: /own}}, {worker: {}}]";
        assert_eq!(told(own).unwrap(), ["scheduler --scheduler-file=/own", "worker --scheduler-file /own"]);
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for bad in [
            "",
            "[]",
            "{scheduler: {}}",
            "[king: {}]",
            "[{worker: 5}]",
            "[{worker: {}}]",
            "[{scheduler: {'a b': 1}}]",
            "[{scheduler: {}}, {scheduler: {}}]",
            "[{scheduler: {}, worker: {}}]",
            "[",
            "[1]",
        ] {
            assert!(told(bad).is_err(), "{bad}");
        }
    }
}
