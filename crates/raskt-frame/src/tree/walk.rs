use super::{Child, Expr};
use std::collections::HashSet;

impl Expr {
    /// The trees that it is made of.
    pub(crate) fn children(&self) -> Vec<&Child> {
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
    pub(crate) fn with_children<E>(&self, mut change: impl FnMut(&Child) -> Result<Child, E>) -> Result<Self, E> {
        let mut changed = self.clone();
        for child in changed.children_mut() {
            *child = change(child)?;
        }
        Ok(changed)
    }

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
