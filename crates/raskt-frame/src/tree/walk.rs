use super::{Child, Expr};

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

    /// Whether `test` holds for it or for any part of it.
    pub(crate) fn any(&self, test: &impl Fn(&Self) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|child| child.any(test))
    }

    /// The columns that it reads, each once.
    pub(crate) fn columns(&self) -> Vec<&str> {
        let mut found = vec![];
        self.add_columns(&mut found);
        found
    }

    fn add_columns<'a>(&'a self, found: &mut Vec<&'a str>) {
        if let Self::Column(name) = self
            && !found.contains(&name.as_str())
        {
            found.push(name);
        }
        self.children().into_iter().for_each(|child| child.add_columns(found));
    }
}
