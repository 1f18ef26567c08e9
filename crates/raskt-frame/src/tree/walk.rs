use super::{Child, Expr};
use std::collections::HashSet;

impl<C> Expr<C> {
    /// The trees that it is made of.
    pub(crate) fn children(&self) -> Vec<&C> {
        match self {
            Self::Column(_) | Self::Literal(_) | Self::Length | Self::RowNumber => vec![],
            Self::Cast { input, .. }
            | Self::Map { input, .. }
            | Self::IsIn { input, .. }
            | Self::Text { input, .. }
            | Self::Time { input, .. }
            | Self::Aggregate { input, .. }
            | Self::Window { input, .. } => vec![input],
            Self::Arithmetic { left, right, .. }
            | Self::Comparison { left, right, .. }
            | Self::Logical { left, right, .. } => vec![left, right],
            Self::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            Self::Coalesce(inputs) | Self::ConcatText { inputs, .. } => inputs.iter().collect(),
            Self::Over { input, keys } => std::iter::once(input).chain(keys).collect(),
        }
    }

    /// The same tree of other parts: what `change` makes of each.
    pub(crate) fn with_children<D, E>(&self, mut change: impl FnMut(&C) -> Result<D, E>) -> Result<Expr<D>, E> {
        Ok(match self {
            Self::Column(name) => Expr::Column(name.clone()),
            Self::Literal(value) => Expr::Literal(value.clone()),
            Self::Length => Expr::Length,
            Self::RowNumber => Expr::RowNumber,
            Self::Cast { input, dtype, conversion } => {
                Expr::Cast { input: change(input)?, dtype: dtype.clone(), conversion: *conversion }
            }
            Self::Map { function, input } => Expr::Map { function: *function, input: change(input)? },
            Self::Arithmetic { operation, left, right } => {
                Expr::Arithmetic { operation: *operation, left: change(left)?, right: change(right)? }
            }
            Self::Comparison { operation, left, right } => {
                Expr::Comparison { operation: *operation, left: change(left)?, right: change(right)? }
            }
            Self::Logical { operation, left, right } => {
                Expr::Logical { operation: *operation, left: change(left)?, right: change(right)? }
            }
            Self::Conditional { condition, then, otherwise } => {
                Expr::Conditional { condition: change(condition)?, then: change(then)?, otherwise: change(otherwise)? }
            }
            Self::Coalesce(inputs) => Expr::Coalesce(all(inputs, &mut change)?),
            Self::IsIn { input, values, dtype } => {
                Expr::IsIn { input: change(input)?, values: values.clone(), dtype: dtype.clone() }
            }
            Self::Text { function, input } => Expr::Text { function: function.clone(), input: change(input)? },
            Self::ConcatText { inputs, separator } => {
                Expr::ConcatText { inputs: all(inputs, &mut change)?, separator: separator.clone() }
            }
            Self::Time { function, input } => Expr::Time { function: function.clone(), input: change(input)? },
            Self::Aggregate { function, input } => Expr::Aggregate { function: *function, input: change(input)? },
            Self::Window { function, input } => Expr::Window { function: function.clone(), input: change(input)? },
            Self::Over { input, keys } => Expr::Over { input: change(input)?, keys: all(keys, &mut change)? },
        })
    }
}

impl Expr {
    /// Its parts; it is a tree of others afterwards, which nobody may look at.
    pub(super) fn take_children(&mut self) -> Vec<Child> {
        let nothing = Child::from(Self::Length);
        self.children_mut().into_iter().map(|child| std::mem::replace(child, nothing.clone())).collect()
    }

    fn children_mut(&mut self) -> Vec<&mut Child> {
        match self {
            Self::Column(_) | Self::Literal(_) | Self::Length | Self::RowNumber => vec![],
            Self::Cast { input, .. }
            | Self::Map { input, .. }
            | Self::IsIn { input, .. }
            | Self::Text { input, .. }
            | Self::Time { input, .. }
            | Self::Aggregate { input, .. }
            | Self::Window { input, .. } => vec![input],
            Self::Arithmetic { left, right, .. }
            | Self::Comparison { left, right, .. }
            | Self::Logical { left, right, .. } => vec![left, right],
            Self::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            Self::Coalesce(inputs) | Self::ConcatText { inputs, .. } => inputs.iter_mut().collect(),
            Self::Over { input, keys } => std::iter::once(input).chain(keys).collect(),
        }
    }

    /// It and all trees that it is made of, each before its own parts. A heavy part that is used twice comes once: written
    /// out, there may be more of them than memory has room for.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        let (mut left, mut seen) = (vec![self], HashSet::new());
        std::iter::from_fn(move || {
            let next = left.pop()?;
            let fresh = |child: &&Child| !child.is_heavy() || seen.insert(child.digest());
            let children: Vec<&Self> = next.children().into_iter().filter(fresh).map(|child| &**child).collect();
            left.extend(children.into_iter().rev());
            Some(next)
        })
    }

    /// Whether `test` holds for it or for any part of it.
    pub(crate) fn any(&self, test: &impl Fn(&Self) -> bool) -> bool {
        self.parts().any(test)
    }

    /// The columns that it reads, each once.
    pub(crate) fn columns(&self) -> Vec<&str> {
        let mut found = vec![];
        for part in self.parts() {
            if let Self::Column(name) = part
                && !found.contains(&name.as_str())
            {
                found.push(name);
            }
        }
        found
    }
}

fn all<C, D, E>(inputs: &[C], change: &mut impl FnMut(&C) -> Result<D, E>) -> Result<Vec<D>, E> {
    inputs.iter().map(change).collect()
}
