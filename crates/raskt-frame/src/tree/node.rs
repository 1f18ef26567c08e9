use super::{ColumnDtype, Expr};
use crate::expression::content_of;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// A part of a tree: shared, and hashed and weighed once.
#[derive(Clone, Debug)]
pub struct Child(Arc<Part>);

#[derive(Debug)]
struct Part {
    expr: Expr,
    digest: u128,
    size: u64,
    weight: u32,
    depth: u32,
    alone: bool,
    scalar: bool,
    ordered: bool,
    /// Its type over the columns that the digest stands for, where it was checked last.
    dtype: Mutex<Option<(u128, ColumnDtype)>>,
}

impl Expr {
    /// The hash of its content: equal digests, equal trees.
    pub(crate) fn digest(&self) -> u128 {
        content_of(self)
    }

    /// How many nodes are written out for it if its heavy parts are computed before it and stand there as columns.
    pub(crate) fn weight(&self) -> u32 {
        self.children().iter().map(|child| if child.is_heavy() { 1 } else { child.weight() }).sum::<u32>() + 1
    }

    /// How many nodes are written out for it in all.
    pub(crate) fn size(&self) -> u64 {
        self.children().iter().fold(1, |size, child| size.saturating_add(child.0.size))
    }

    /// Whether a heavy part is among its parts.
    pub(crate) fn has_heavy_parts(&self) -> bool {
        self.size() > u64::from(self.weight())
    }

    /// How many nodes lie one under another, it among them.
    pub(crate) fn depth(&self) -> u32 {
        self.children().iter().map(|child| child.0.depth).max().unwrap_or(0).saturating_add(1)
    }

    /// Whether it is one value for all rows.
    pub(crate) fn is_scalar(&self) -> bool {
        self.own_kind().1
    }

    /// Whether it depends on the order of the rows.
    pub(crate) fn looks_at_order(&self) -> bool {
        match self {
            Self::Window { .. } | Self::RowNumber => true,
            Self::Aggregate { function, input } => function.looks_at_order() || input.0.ordered,
            _ => self.children().iter().any(|child| child.0.ordered),
        }
    }

    /// Whether its value for a row depends on that row alone, and whether it is one value for all rows.
    fn own_kind(&self) -> (bool, bool) {
        match self {
            Self::Column(_) => (true, false),
            Self::Literal(_) => (true, true),
            Self::Aggregate { .. } | Self::Length => (false, true),
            Self::Window { .. } | Self::Over { .. } | Self::RowNumber => (false, false),
            _ => {
                let children = self.children();
                (children.iter().all(|child| child.is_alone()), children.iter().all(|child| child.is_scalar()))
            }
        }
    }
}

impl Child {
    /// The hash of its content.
    pub(crate) fn digest(&self) -> u128 {
        self.0.digest
    }

    /// How many nodes are written out for it, up to its heavy parts.
    pub(crate) fn weight(&self) -> u32 {
        self.0.weight
    }

    /// Whether it is large enough that programs that use it often should refer to it, and not write it out each time.
    /// A tree whose parts are used twice at each step grows without end if it is written out. What depends on all rows
    /// weighs more: each reduction in it is a pass of the engine.
    pub(crate) fn is_heavy(&self) -> bool {
        let passes = !self.0.alone && !self.0.scalar;
        self.0.weight > if passes { HEAVY_PASSES } else { HEAVY }
    }

    /// Whether it is more than anybody wants to read.
    pub(crate) fn is_long(&self) -> bool {
        self.0.size > u64::from(HEAVY)
    }

    /// Whether its value for a row depends on that row alone.
    pub(crate) fn is_alone(&self) -> bool {
        self.0.alone
    }

    /// Whether it is one value for all rows.
    pub(crate) fn is_scalar(&self) -> bool {
        self.0.scalar
    }

    /// Its type over the columns that `scope` stands for: what `find` says, which is asked once.
    pub(crate) fn checked_dtype<E>(
        &self,
        scope: u128,
        find: impl FnOnce() -> Result<ColumnDtype, E>,
    ) -> Result<ColumnDtype, E> {
        let known = |known: &Option<(u128, ColumnDtype)>| {
            known.as_ref().filter(|(of, _)| *of == scope).map(|(_, dtype)| dtype.clone())
        };
        if let Some(dtype) = known(&self.0.dtype.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(dtype);
        }
        let dtype = find()?;
        *self.0.dtype.lock().unwrap_or_else(PoisonError::into_inner) = Some((scope, dtype.clone()));
        Ok(dtype)
    }
}

/// The weight from which a part counts as heavy.
const HEAVY: u32 = 64;
/// The same for values of rows that depend on other rows.
const HEAVY_PASSES: u32 = 8;

impl From<Expr> for Child {
    fn from(expr: Expr) -> Self {
        let (alone, scalar) = expr.own_kind();
        Self(Arc::new(Part {
            digest: expr.digest(),
            size: expr.size(),
            weight: expr.weight(),
            depth: expr.depth(),
            ordered: expr.looks_at_order(),
            alone,
            scalar,
            dtype: Mutex::new(None),
            expr,
        }))
    }
}

/// A tree may be deeper than a stack has room for calls: its parts go one after the other.
impl Drop for Part {
    fn drop(&mut self) {
        if self.depth <= SHALLOW {
            return;
        }
        let mut left = self.expr.take_children();
        while let Some(child) = left.pop() {
            if let Ok(mut part) = Arc::try_unwrap(child.0) {
                left.append(&mut part.expr.take_children());
                part.depth = 0;
            }
        }
    }
}

/// Trees of that depth may call themselves for each of their parts.
const SHALLOW: u32 = 64;

impl Deref for Child {
    type Target = Expr;

    fn deref(&self) -> &Expr {
        &self.0.expr
    }
}

impl PartialEq for Child {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

impl Eq for Child {}

impl Hash for Child {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u128(self.digest());
    }
}
