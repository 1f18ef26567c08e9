//! Files and variables that settings come from.

use crate::configuration::Entry;
use crate::yaml::{flatten, parse_file, parse_value};
use crate::{Configuration, Error, Key, Origin};
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that names one more file, or a folder of them.
const FILE_VARIABLE: &str = "RASKT_CONFIG";
const PREFIX: &str = "RASKT_";

/// The files and variables that settings are read from; later ones win, and variables win over files.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<PathBuf>,
    variables: Vec<(String, String)>,
}

impl Sources {
    /// None: what is read from it are the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of this process: `/etc/raskt/*.yaml`, `~/.config/raskt/*.yaml`, what `RASKT_CONFIG` names, and all other
    /// variables that begin with `RASKT_`.
    pub fn of_this_process() -> Self {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::of_variables(variables)
    }

    /// Those of a process with these environment variables.
    pub fn of_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let variables: Vec<_> = variables.into_iter().collect();
        let value =
            |name: &str| variables.iter().find(|(other, _)| other == name).map(|(_, value)| PathBuf::from(value));
        let home = value("XDG_CONFIG_HOME").or_else(|| value("HOME").map(|home| home.join(".config")));
        let places = [Some("/etc/raskt".into()), home.map(|home| home.join("raskt")), value(FILE_VARIABLE)];
        let files = places.into_iter().flatten().flat_map(|place| yaml_files(&place)).collect();
        let is_ours = |name: &str| name.starts_with(PREFIX) && name != FILE_VARIABLE;
        Self { files, variables: variables.into_iter().filter(|(name, _)| is_ours(name)).collect() }
    }

    /// Without its files: what is left are the variables.
    pub fn without_files(self) -> Self {
        Self { files: Vec::new(), ..self }
    }

    /// With one more file, or a folder of files, that wins over those before it.
    pub fn with_file(mut self, path: impl AsRef<Path>) -> Self {
        self.files.extend(yaml_files(path.as_ref()));
        self
    }

    /// With one more variable: `RASKT_ARRAY__CHUNK_SIZE` sets `array.chunk-size`.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The files, in the order in which they are read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Reads and checks everything.
    pub fn read(&self) -> Result<Configuration, Error> {
        let mut configuration = Configuration::default();
        for entry in self.entries()? {
            configuration.insert(entry)?;
        }
        Ok(configuration)
    }

    /// What the files and variables write, unchecked, in the order in which they apply.
    fn entries(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        for path in &self.files {
            let text = fs::read_to_string(path).map_err(|source| Error::Read { path: path.clone(), source })?;
            let leaves = parse_file(path, &text)?.into_iter();
            entries.extend(leaves.map(|(key, value, line)| Entry {
                key,
                value,
                origin: Origin::File { path: path.clone(), line },
            }));
        }
        // The order of variables in an environment means nothing, so it must not decide either.
        let mut variables = self.variables.clone();
        variables.sort();
        for (name, value) in variables {
            let leaves = flatten(variable_key(&name), parse_value(&value)).into_iter();
            entries.extend(leaves.map(|(key, value)| Entry { key, value, origin: Origin::Variable(name.clone()) }));
        }
        Ok(entries)
    }
}

/// `RASKT_ARRAY__CHUNK_SIZE` as `array.chunk_size`.
fn variable_key(name: &str) -> Key {
    let name = name.strip_prefix(PREFIX).unwrap_or(name).to_lowercase();
    Key::from_parts(name.split("__").map(str::to_string).collect())
}

/// The file itself, or the YAML files of a folder by name. A place that isn't there has none, except that a file
/// which somebody named (`RASKT_CONFIG=settings.yaml`) is kept, so that reading it fails with its name.
fn yaml_files(place: &Path) -> Vec<PathBuf> {
    let is_yaml = |path: &Path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let Ok(folder) = fs::read_dir(place) else {
        return if is_yaml(place) || place.is_file() { vec![place.into()] } else { Vec::new() };
    };
    let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).filter(|path| is_yaml(path)).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn variables(pairs: &[(&str, &str)]) -> Sources {
        Sources::of_variables(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())))
    }

    #[test]
    fn files_win_over_defaults_and_variables_over_files() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/raskt");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.yaml"), "array: {chunk-size: 1MiB}\nnum_workers: 3\n").unwrap();
        fs::write(folder.join("b.yaml"), "array:\n  chunk_size: 2MiB\n").unwrap();
        let extra = home.path().join("extra.yaml");
        fs::write(&extra, "myproject:\n  some_name: [1, a]\n").unwrap();

        let home = home.path().to_str().unwrap();
        let sources = [("HOME", home), ("RASKT_CONFIG", extra.to_str().unwrap()), ("RASKT_NUM_WORKERS", "5")];
        let read = variables(&sources).read().unwrap();
        assert_eq!(read.get("array.chunk-size"), Some(&Value::Integer(2 << 20)));
        assert_eq!(read.get("num-workers"), Some(&Value::Integer(5)));
        assert_eq!(read.get("myproject.some-name").unwrap().to_string(), "[1, \"a\"]");
        assert_eq!(read.settings().num_workers.unwrap().get(), 5);
    }

    #[test]
    fn a_bad_value_is_reported_with_the_place_that_holds_it() {
        let error = variables(&[("RASKT_SCHEDULER", "fibres")]).read().unwrap_err();
        let expected =
            "variable RASKT_SCHEDULER: `scheduler` is \"fibres\"; allowed is `threads` or `processes` or `sync`";
        assert_eq!(error.to_string(), expected);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.yaml");
        fs::write(&path, "scheduler: sync\narray:\n  chunk-size: -1\n").unwrap();
        let error = Sources::new().with_file(&path).read().unwrap_err();
        let expected = format!(
            "{}, line 3: `array.chunk-size` is -1; allowed is a number of bytes from 64 B to 1 TiB, \
             such as 67108864 or \"64MiB\"",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_file_that_was_named_and_is_not_there_is_an_error() {
        let error = variables(&[("RASKT_CONFIG", "/nowhere/settings.yaml")]).read().unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/settings.yaml: can't be read"), "{error}");
    }

    #[test]
    fn a_group_can_be_set_by_one_variable() {
        let read = variables(&[("RASKT_PROGRESS", "{width: 10, minimum: 2}")]).read().unwrap();
        assert_eq!(read.settings().progress.width, 10);
        assert_eq!(read.settings().progress.minimum, 2.0);
    }
}
