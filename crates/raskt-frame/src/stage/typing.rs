//! What type an expression is of: as the tree promises, and as the engine has it.

use super::expressions::{Translation, engine_type_of};
use super::stack::with_stack_for;
use crate::error::{FrameError, Result};
use crate::expression::content_of;
use crate::plan::levels_of;
use crate::table::internal_name;
use crate::tree::{Child, ColumnDtype, Expr, column};
use polars::prelude::{DataType, Field, PlSmallStr, Schema};

/// The type of `expr` over columns of `scope`: what the tree promises. That the engine would give another is an error.
///
/// Heavy parts are looked at once for all trees that they are in, and stand in these as columns: a program that does a step
/// after the other to a column is checked by what each step adds.
pub(crate) fn type_of(scope: &Schema, expr: &Expr) -> Result<DataType> {
    if !expr.has_heavy_parts() {
        return light_type_of(&read_by(expr, &[scope])?, expr);
    }
    let fields: Vec<(&PlSmallStr, &DataType)> = scope.iter().collect();
    with_stack_for(levels_of([expr]), || Pieces { scope, digest: content_of(&fields) }.type_of(expr))
}

struct Pieces<'a> {
    scope: &'a Schema,
    digest: u128,
}

impl Pieces<'_> {
    fn type_of(&self, expr: &Expr) -> Result<DataType> {
        let mut parts = Schema::default();
        let light = self.lightened(expr, &mut parts)?;
        light_type_of(&read_by(&light, &[&parts, self.scope])?, &light)
    }

    /// `expr` with columns for its heavy parts, which `parts` gets.
    fn lightened(&self, expr: &Expr, parts: &mut Schema) -> Result<Expr> {
        expr.with_children(|child: &Child| {
            if !child.is_heavy() {
                return Ok(if child.has_heavy_parts() { self.lightened(child, parts)?.into() } else { child.clone() });
            }
            let name = part_name(child);
            let dtype = child.checked_dtype(self.digest, || ColumnDtype::of_engine(&self.type_of(child)?))?;
            parts.with_column(name.clone(), dtype.to_engine()?);
            Ok::<_, FrameError>(column(&name).into())
        })
    }
}

/// The columns that `expr` reads: what an operation costs is not to grow with the columns that it doesn't look at.
fn read_by(expr: &Expr, scopes: &[&Schema]) -> Result<Schema> {
    let field = |name: &str| {
        let dtype = scopes.iter().find_map(|scope| scope.get(name));
        let dtype = dtype.ok_or_else(|| FrameError::Engine(format!("there is no column `{name}` in a plan")))?;
        Ok(Field::new(name.into(), dtype.clone()))
    };
    expr.columns().into_iter().map(field).collect()
}

/// The column that stands for a heavy part.
pub(super) fn part_name(part: &Child) -> PlSmallStr {
    internal_name("part", part.digest())
}

fn light_type_of(scope: &Schema, expr: &Expr) -> Result<DataType> {
    let column = |name: &str| ColumnDtype::of_engine(scope.get(name).expect("the scope has what is read"));
    let promised = expr.dtype(&column)?.to_engine()?;
    let found = engine_type_of(scope, Translation::default().of(expr)?)?;
    match (&promised, &found) {
        (promised, found) if promised == found => Ok(found.clone()),
        // How many digits fixed-point numbers have, and what unit times have that are made of dates, the engine says.
        (DataType::Decimal(..), DataType::Decimal(..))
        | (DataType::Duration(_), DataType::Duration(_))
        | (DataType::Datetime(_, None), DataType::Datetime(_, None)) => Ok(found),
        _ => {
            let name = |dtype: &DataType| crate::domain::pandas_dtype_name(dtype, false);
            let (promised, found) = (name(&promised), name(&found));
            Err(FrameError::NotNative(format!("the engine gives {found} for `{expr}`, where {promised} is due")))
        }
    }
}
