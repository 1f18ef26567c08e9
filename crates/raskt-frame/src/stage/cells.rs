//! Tables of scalars: one row that is computed is laid out, column after column.

use super::translate::Translator;
use crate::error::Result;
use crate::expression::Expression;
use crate::plan::Node;
use crate::table::index_column_name;
use polars::prelude::*;
use std::sync::Arc;

impl Translator<'_> {
    pub(super) fn cells(
        &mut self,
        node: &Node,
        input: &Arc<Node>,
        labels: &[PlSmallStr],
        columns: &[(PlSmallStr, Vec<Expression>)],
    ) -> Result<LazyFrame> {
        let mut row = vec![];
        for (at, (_, cells)) in columns.iter().enumerate() {
            let name = |cell: usize| PlSmallStr::from_string(format!("{at} {cell}"));
            row.extend(cells.iter().enumerate().map(|(cell, values)| (name(cell), values.clone())));
        }
        let query = if row.is_empty() { DataFrame::empty().lazy() } else { self.output(input, &row)? };
        let (labels, schema): (Vec<PlSmallStr>, SchemaRef) = (labels.to_vec(), node.scope.clone());
        let names: Vec<PlSmallStr> = columns.iter().map(|(name, _)| name.clone()).collect();
        let found = schema.clone();
        let lay_out = move |row: DataFrame| lay_out(&row, &labels, &names, &schema);
        let schema = Arc::new(move |_: &Schema| Ok(found.clone()));
        Ok(query.map(lay_out, OptFlags::empty(), Some(schema), Some("cells")))
    }
}

/// One row of cells as a table, column after column.
fn lay_out(row: &DataFrame, labels: &[PlSmallStr], names: &[PlSmallStr], schema: &Schema) -> PolarsResult<DataFrame> {
    let labels_column =
        Series::new(index_column_name(0), labels.iter().map(|label| label.as_str()).collect::<Vec<_>>());
    let mut columns = vec![Column::from(labels_column)];
    for (at, name) in names.iter().enumerate() {
        let dtype = schema.try_get(name)?;
        let mut cells = Series::new_empty(name.clone(), dtype);
        for cell in 0..labels.len() {
            let value = row.column(&format!("{at} {cell}"))?.cast(dtype)?;
            cells.append(value.as_materialized_series())?;
        }
        columns.push(cells.into());
    }
    DataFrame::new_infer_height(columns)
}
