//! Trees that have come from elsewhere.

use super::budget::Budget;
use crate::error::Result as FrameResult;
use crate::tree::{Child, ColumnDtype, DIGITS, Expr, Value, WindowFunction};
use std::cell::RefCell;
use std::collections::HashMap;

/// A tree whose parts are the numbers of earlier ones.
pub(super) type WrittenTree = Expr<u32>;

/// So many nodes of a tree lie one under another at most.
const DEPTH: u32 = 1 << 15;

/// Trees, with what is needed of how they were written.
pub(super) struct Trees {
    written: Vec<WrittenTree>,
    built: Vec<Child>,
    /// What a copy of the uppermost node of each takes.
    units: Vec<usize>,
}

impl Trees {
    pub fn read(written: Vec<WrittenTree>) -> Result<Self, String> {
        let (mut built, mut units): (Vec<Child>, _) = (Vec::with_capacity(written.len()), vec![]);
        for tree in &written {
            check(tree)?;
            let part = |at: &u32| built.get(*at as usize).cloned().ok_or("a tree refers to later ones");
            let tree = tree.with_children(part)?;
            if tree.depth() > DEPTH {
                return Err(format!("a tree of more than {DEPTH} nodes one under another"));
            }
            built.push(tree.into());
        }
        for tree in &written {
            let bytes = postcard::experimental::serialized_size(tree).map_err(|error| error.to_string())?;
            units.push(1 + bytes / 16);
        }
        Ok(Self { written, built, units })
    }

    pub fn get(&self, at: u32, budget: &mut Budget) -> Result<Expr, String> {
        let tree = self.built.get(at as usize).ok_or("there is no such tree")?;
        budget.spend(self.units[at as usize])?;
        Ok(Expr::clone(tree))
    }

    /// The hash of a tree that is there.
    pub fn digest(&self, at: u32) -> u128 {
        self.built.get(at as usize).map_or(0, Child::digest)
    }

    /// The types of the trees `wanted` over columns of the types that `scope` gives: each as the table of types has it. Every tree
    /// that they are made of is looked at once.
    pub fn types_of(
        &self,
        wanted: &[u32],
        scope: &impl Fn(&str) -> FrameResult<ColumnDtype>,
        budget: &mut Budget,
    ) -> Result<Vec<ColumnDtype>, String> {
        let known: RefCell<HashMap<u32, ColumnDtype>> = RefCell::default();
        for at in self.reached(wanted, budget)? {
            let of = |part: &u32| Ok(known.borrow()[part].clone());
            let dtype = self.written[at as usize].dtype_by(scope, &of).map_err(|error| error.to_string())?;
            budget.spend(units_of(&dtype))?;
            known.borrow_mut().insert(at, dtype);
        }
        let known = known.into_inner();
        Ok(wanted.iter().map(|at| known[at].clone()).collect())
    }

    /// The trees that `wanted` are made of, they among them, each after its parts.
    fn reached(&self, wanted: &[u32], budget: &mut Budget) -> Result<Vec<u32>, String> {
        let mut found = std::collections::BTreeSet::new();
        let mut left = wanted.to_vec();
        while let Some(at) = left.pop() {
            let tree = self.written.get(at as usize).ok_or("there is no such tree")?;
            if found.insert(at) {
                budget.spend(1)?;
                left.extend(tree.children());
            }
        }
        Ok(found.into_iter().collect())
    }
}

/// What a copy of a type takes.
pub(super) fn units_of(dtype: &ColumnDtype) -> usize {
    match dtype {
        ColumnDtype::Enumeration(names) => 1 + names.len(),
        ColumnDtype::List(inner) | ColumnDtype::Array(inner, _) => 1 + units_of(inner),
        ColumnDtype::Struct(fields) => 1 + fields.iter().map(|(_, dtype)| units_of(dtype)).sum::<usize>(),
        _ => 1,
    }
}

/// What the parts of one node say of each other.
fn check(tree: &WrittenTree) -> Result<(), String> {
    match tree {
        Expr::Literal(value) => check_value(value),
        Expr::IsIn { values, .. } => values.iter().try_for_each(check_value),
        Expr::Window { function: WindowFunction::Shift { fill: Some(fill), .. }, .. } => check_value(fill),
        Expr::Coalesce(inputs) | Expr::ConcatText { inputs, .. } if inputs.is_empty() => {
            Err("an operation of no operands".into())
        }
        Expr::Over { keys, .. } if keys.is_empty() => Err("groups by nothing".into()),
        _ => Ok(()),
    }
}

/// Whether a value is one of its type.
fn check_value(value: &Value) -> Result<(), String> {
    let fits = match value {
        Value::Integer { value, dtype } => dtype.number().is_some_and(|dtype| crate::literal::holds(dtype, *value)),
        Value::Decimal { precision, scale, .. } => *precision <= DIGITS && *scale <= DIGITS,
        _ => true,
    };
    if fits { Ok(()) } else { Err(format!("`{value}` is no value of its type")) }
}
