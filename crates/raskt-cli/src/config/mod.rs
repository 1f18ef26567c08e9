//! `raskt config`: which settings there are, where they come from, and how they are changed.

mod edit;

use crate::facts::say;
use crate::failure::Failure;
use crate::files::replace;
use edit::{parse_value, set_in_text};
use raskt_cluster::usual::user_folder;
use raskt_config::{Configuration, Entry, Error, Origin, SETTINGS, Sources, Value};
use std::path::PathBuf;

/// Shows settings, and changes them.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  raskt config list
  raskt config get array.chunk-size
  raskt config set memory.limit 16GiB
  raskt config find memory.limit";

#[derive(Clone, Debug, clap::Subcommand)]
enum What {
    /// Says what a setting is, or all of a group.
    Get {
        /// Its name: `array.chunk-size`.
        key: String,
    },
    /// Says which files and variables set it, those that win last.
    Find {
        /// Its name.
        key: String,
    },
    /// Writes it into a file of this user; comments and all else stay as they are.
    Set {
        /// Its name.
        key: String,
        /// What it is to be, as in YAML.
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// The file; `~/.config/raskt/raskt.yaml` unless this says otherwise.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Says what all settings are, and where each comes from.
    List,
}

/// What the file of this user is called.
const USER_FILE: &str = "raskt.yaml";

pub(crate) fn run(options: &Options) -> Result<u8, Failure> {
    match &options.what {
        What::Get { key } => get(key)?,
        What::Find { key } => find(key)?,
        What::Set { key, value, file } => set(key, value, file.clone())?,
        What::List => {
            for Entry { key, value, origin } in read()?.entries() {
                say(format!("{}: {value}  # {}", key.canonical(), place(origin)));
            }
        }
    }
    Ok(0)
}

fn read() -> Result<Configuration, Failure> {
    Sources::of_this_process().read().map_err(Failure::usage)
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".into(),
        other => other.to_string().trim_end_matches([' ', ':']).to_owned(),
    }
}

fn is_in(entry: &Entry, key: &str) -> bool {
    let (own, key) = (entry.key.canonical(), canonical(key));
    own == key || own.strip_prefix(&key).is_some_and(|rest| rest.starts_with('.'))
}

fn canonical(key: &str) -> String {
    raskt_config::Key::parse(key).canonical().to_owned()
}

fn is_known(key: &str) -> bool {
    let key = canonical(key);
    SETTINGS.iter().any(|setting| setting.key == key)
}

fn get(key: &str) -> Result<(), Failure> {
    let all = read()?;
    if let Some(value) = all.get(key) {
        match value {
            Value::Text(text) => say(text),
            other => say(other),
        }
        return Ok(());
    }
    let group: Vec<_> = all.entries().filter(|entry| is_in(entry, key)).collect();
    if group.is_empty() {
        return Err(unknown(key));
    }
    group.iter().for_each(|entry| say(format!("{}: {}", entry.key.canonical(), entry.value)));
    Ok(())
}

/// The sentence about a name that isn't there, with the one that was meant.
fn unknown(key: &str) -> Failure {
    match Configuration::default().set(key, Value::Null) {
        Err(error @ Error::Unknown { .. }) => Failure::usage(error),
        _ => Failure::usage(format!("there is no setting `{key}`")),
    }
}

fn find(key: &str) -> Result<(), Failure> {
    let whole = Sources::of_this_process();
    let each = whole.files().iter().map(|file| Sources::new().with_file(file));
    let mut found = false;
    for source in each.chain([whole.clone().without_files()]) {
        let read = source.read().map_err(Failure::usage)?;
        let set = read.entries().filter(|entry| is_in(entry, key) && entry.origin != Origin::Default);
        for Entry { key, value, origin } in set {
            found = true;
            say(format!("{}: {}: {value}", place(origin), key.canonical()));
        }
    }
    match (found, is_known(key)) {
        (true, _) => Ok(()),
        (false, true) => Err(Failure::failed(format!("no file and no variable sets `{key}`"))),
        (false, false) => Err(unknown(key)),
    }
}

fn set(key: &str, text: &str, file: Option<PathBuf>) -> Result<(), Failure> {
    let value = parse_value(text);
    Configuration::default().set(key, value.clone()).map_err(Failure::usage)?;
    let none =
        || Failure::usage("there is no place for the settings of this user, since HOME isn't set: name a `--file`");
    let file = file.or_else(|| user_folder().map(|folder| folder.join(USER_FILE))).ok_or_else(none)?;
    let failed = |error: std::io::Error| Failure::failed(format!("`{}` can't be changed: {error}", file.display()));
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let before = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(failed)?,
    };
    let after = set_in_text(&before, key, text);
    let after = after.map_err(|why| Failure::usage(format!("`{}` stays as it is: {why}", file.display())))?;
    // A file that is a link stays one.
    let target = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    replace(&target, &after).map_err(failed)?;
    say(format!("{}: {}: {value}", file.display(), canonical(key)));
    if !is_known(key) {
        // Other programs may have settings there.
        crate::log::tell(&format_args!(
            "`{}` is no setting of raskt's: it is written for programs that read it (`raskt config list` says which raskt has)",
            canonical(key)
        ));
    }
    tell_what_wins(key, &target);
    Ok(())
}

/// Says so if something else wins over what was just written.
fn tell_what_wins(key: &str, file: &std::path::Path) {
    let Ok(all) = Sources::of_this_process().read() else { return };
    for entry in all.entries().filter(|entry| is_in(entry, key)) {
        let is_own = match &entry.origin {
            Origin::File { path, .. } => std::fs::canonicalize(path).is_ok_and(|path| path == file),
            _ => false,
        };
        if !is_own {
            let (key, value, place) = (entry.key.canonical(), &entry.value, place(&entry.origin));
            crate::log::tell(&format_args!("`{key}` is {value} all the same, as said by: {place}"));
        }
    }
}
