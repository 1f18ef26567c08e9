//! All settings together, each with its origin.

use crate::table::check;
use crate::yaml::flatten;
use crate::{Error, Key, Origin, SETTINGS, Settings, Value};
use figment::Figment;
use figment::providers::Serialized;
use figment::value::{Dict, Value as Parsed};
use std::collections::BTreeMap;

/// The merged settings, each with the place that it came from.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// By canonical key. No key is a group of another.
    entries: BTreeMap<String, Entry>,
}

/// One setting that has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub key: Key,
    /// Its value, as the setting holds it.
    pub value: Value,
    /// Where the value came from.
    pub origin: Origin,
}

impl Default for Configuration {
    /// The defaults.
    fn default() -> Self {
        let entries = SETTINGS.iter().map(|setting| {
            let entry = Entry { key: Key::parse(setting.key), value: setting.default_value(), origin: Origin::Default };
            (setting.key.to_string(), entry)
        });
        Self { entries: entries.collect() }
    }
}

impl Configuration {
    /// Sets a value from code; a map sets each of its members.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<(), Error> {
        let entries = flatten(Key::parse(key), value.into()).into_iter();
        entries.map(|(key, value)| Entry { key, value, origin: Origin::Code }).try_for_each(|entry| self.insert(entry))
    }

    /// The value of one setting.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(Key::parse(key).canonical()).map(|entry| &entry.value)
    }

    /// All that have a value, in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The same in types.
    pub fn settings(&self) -> Settings {
        let mut groups = Dict::new();
        for setting in SETTINGS {
            insert_nested(&mut groups, setting.key, self.entries[setting.key].value.clone().into());
        }
        let checked = "values were checked when they came in";
        Figment::from(Serialized::globals(groups)).extract().expect(checked)
    }

    /// Takes in one value, which wins over what is there.
    pub(crate) fn insert(&mut self, mut entry: Entry) -> Result<(), Error> {
        entry.value = check(&entry.key, entry.value, &entry.origin)?;
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == entry.key.canonical()) {
            entry.key = Key::parse(setting.key);
        }
        self.entries.retain(|_, other| !other.key.holds(&entry.key) && !entry.key.holds(&other.key));
        self.entries.insert(entry.key.canonical().into(), entry);
        Ok(())
    }
}

fn insert_nested(groups: &mut Dict, key: &str, value: Parsed) {
    match key.split_once('.') {
        None => {
            groups.insert(key.into(), value);
        }
        Some((group, rest)) => {
            let group = groups.entry(group.into()).or_insert_with(|| Dict::new().into());
            if let Parsed::Dict(_, members) = group {
                insert_nested(members, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_typed_field_and_every_field_a_setting() {
        let defaults = Parsed::serialize(Configuration::default().settings()).unwrap();
        let fields = flatten(Key::from_parts(Vec::new()), defaults.into());
        let mut fields: Vec<_> = fields.iter().map(|(key, _)| key.canonical().to_string()).collect();
        fields.sort();
        let table: Vec<_> = SETTINGS.iter().map(|setting| setting.key.to_string()).collect();
        assert_eq!(fields, table);
    }

    #[test]
    fn code_wins_and_a_group_can_be_set_at_once() {
        let mut configuration = Configuration::default();
        let group = Value::Map([("width".to_string(), Value::Integer(7))].into());
        configuration.set("progress", group).unwrap();
        assert_eq!(configuration.settings().progress.width, 7);
        assert_eq!(configuration.settings().progress.interval, 0.1);
    }

    #[test]
    fn a_name_is_a_value_or_a_group_but_not_both() {
        let mut configuration = Configuration::default();
        configuration.set("mine.colour", "red").unwrap();
        configuration.set("mine.colour.dark", true).unwrap();
        assert_eq!(configuration.get("mine.colour"), None);
        assert_eq!(configuration.get("mine.colour.dark"), Some(&Value::Flag(true)));
        configuration.set("mine.colour", "blue").unwrap();
        assert_eq!(configuration.get("mine.colour.dark"), None);
    }

    #[test]
    fn a_refused_value_changes_nothing() {
        let mut configuration = Configuration::default();
        assert!(configuration.set("num-workers", 0).is_err());
        assert_eq!(configuration.settings().num_workers, None);
    }
}
