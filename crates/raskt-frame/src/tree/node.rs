use super::Expr;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// A part of a tree: shared, and hashed once.
#[derive(Clone, Debug)]
pub struct Child {
    expr: Arc<Expr>,
    digest: u128,
}

impl Expr {
    /// The hash of its content: equal digests, equal trees.
    pub(crate) fn digest(&self) -> u128 {
        let mut hasher = Xxh3::new();
        self.hash(&mut hasher);
        hasher.digest128()
    }
}

impl From<Expr> for Child {
    fn from(expr: Expr) -> Self {
        Self { digest: expr.digest(), expr: Arc::new(expr) }
    }
}

impl Deref for Child {
    type Target = Expr;

    fn deref(&self) -> &Expr {
        &self.expr
    }
}

impl PartialEq for Child {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Child {}

impl Hash for Child {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u128(self.digest);
    }
}

impl Serialize for Child {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.expr.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Child {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Expr::deserialize(deserializer).map(Into::into)
    }
}
