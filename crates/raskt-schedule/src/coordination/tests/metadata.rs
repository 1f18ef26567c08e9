//! Metadata, against nested maps.

use super::world::*;
use crate::coordination::{Bytes, Name, Reply, Request};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn path(keys: &str) -> Vec<Name> {
    keys.split('.').filter(|key| !key.is_empty()).map(Name::from).collect()
}

fn set(keys: &str, entries: &[(&str, &str)]) -> Request {
    let entries = entries.iter().map(|(rest, text)| (path(rest), Bytes::from(text))).collect();
    Request::SetMetadata { keys: path(keys), entries }
}

fn found(world: &mut World, keys: &str) -> Vec<(String, String)> {
    let Reply::Metadata(entries) = world.reply(2, Request::GetMetadata { keys: path(keys) }) else { return vec![] };
    let text = |bytes: Bytes| String::from_utf8_lossy(&bytes.0).into_owned();
    entries.into_iter().map(|(rest, bytes)| (rest.join("."), text(bytes))).collect()
}

#[test]
fn keys_are_nested_and_what_is_set_takes_the_place_of_what_was_there() {
    let mut world = World::new();
    world.ask(1, set("a.b", &[("", "1")]));
    world.ask(1, set("a.c", &[("x", "2"), ("y.z", "3")]));
    world.gone(1);
    let all = [("b", "1"), ("c.x", "2"), ("c.y.z", "3")].map(|(key, text)| (key.into(), text.into()));
    assert_eq!(found(&mut world, "a"), all);
    assert_eq!(found(&mut world, "a.c.y.z"), [(String::new(), "3".into())]);
    world.ask(1, set("a.c", &[("", "4")]));
    assert_eq!(found(&mut world, "a.c"), [(String::new(), "4".into())]);
    // Keys within bytes: there are no bytes any more.
    world.ask(1, set("a.c.d.e", &[("", "5")]));
    assert_eq!(found(&mut world, "a.c"), [("d.e".into(), "5".into())]);
    let unknown = refused(&world.reply(1, Request::GetMetadata { keys: path("a.q") }));
    assert_eq!(unknown, "there is no metadata `a.q`");
}

#[test]
fn what_can_not_be_nested_is_refused() {
    let mut world = World::new();
    let error = "metadata puts bytes and further keys under the same key";
    assert_eq!(refused(&world.reply(1, set("a", &[("x", "1"), ("x.y", "2")]))), error);
    assert_eq!(refused(&world.reply(1, set("a", &[("x", "1"), ("x", "2")]))), error);
    assert!(refused(&world.reply(1, set("", &[("", "1")]))).contains("none was given"));
    assert_eq!(found(&mut world, ""), []);
}

/// Bytes or further keys.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Leaf(String),
    Keys(BTreeMap<String, Node>),
}

impl Node {
    fn set(&mut self, keys: &[Name], node: Node) {
        let Some((first, rest)) = keys.split_first() else {
            *self = node;
            return;
        };
        if let Self::Leaf(_) = self {
            *self = Self::Keys(BTreeMap::new());
        }
        let Self::Keys(inner) = self else { unreachable!("it has keys") };
        inner.entry(first.to_string()).or_insert(Self::Keys(BTreeMap::new())).set(rest, node);
    }

    fn leaves(&self, prefix: &str, found: &mut Vec<(String, String)>) {
        match self {
            Self::Leaf(text) => found.push((prefix.into(), text.clone())),
            Self::Keys(inner) => {
                for (key, node) in inner {
                    let prefix = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                    node.leaves(&prefix, found);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn it_is_as_nested_maps_are(steps in prop::collection::vec(("[ab](\\.[abc]){0,3}", "[xyz]", prop::option::of("[abc]")), 1..40)) {
        let (mut world, mut model) = (World::new(), Node::Keys(BTreeMap::new()));
        for (keys, text, inner) in steps {
            let rest = inner.clone().unwrap_or_default();
            world.ask(1, set(&keys, &[(&rest, &text)]));
            let leaf = Node::Leaf(text);
            let node = match inner {
                None => leaf,
                Some(key) => Node::Keys(BTreeMap::from([(key, leaf)])),
            };
            model.set(&path(&keys), node);
            let mut expected = vec![];
            model.leaves("", &mut expected);
            prop_assert_eq!(found(&mut world, ""), expected);
        }
    }
}
