//! What tells a call from others, for people.

use super::Node;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the key of a call is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Key {
    /// What the user called it.
    Named(String),
    /// The number of the node.
    Number(u64),
    /// What a pure call does.
    Token(u128),
}

impl Key {
    /// The key as people see it: `inc-2a`. `label` is the name of what the call does.
    pub fn text(&self, label: impl FnOnce() -> String) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::Number(number) => format!("{}-{number:x}", label()),
            Self::Token(token) => format!("{}-{token:032x}", label()),
        }
    }
}

impl Node {
    /// The key as people see it. Made when it is asked for: most keys never are.
    pub fn key(self: &Arc<Self>, py: Python<'_>) -> String {
        self.key_form(py).text(|| self.label(py))
    }

    /// What the key is made of.
    pub fn key_form(self: &Arc<Self>, py: Python<'_>) -> Key {
        if let Some(name) = self.extra.as_ref().and_then(|extra| extra.key.clone()) {
            return Key::Named(name);
        }
        match super::token::token_of(py, self) {
            Some(token) => Key::Token(token),
            None => Key::Number(self.id),
        }
    }
}
