use crate::domain::Domain;
use crate::literal::Literal;
use crate::plan::{Frame, MemoryPlan, Node, Operator, labelled};
use crate::table::index_column_name;
use polars::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells tables in memory apart: their content is not hashed.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The rows of tables in memory, a partition each: first the columns of row labels, as many as `levels`, named by
/// [`index_column_name`], then the columns.
/// `divisions` are the first label of each table and the last of all, if labels are in order.
pub fn memory(tables: Vec<DataFrame>, levels: &[Option<&str>], divisions: Option<Vec<Literal>>) -> Frame {
    let rows: Arc<[usize]> = tables.iter().map(DataFrame::height).collect();
    let (partitions, number) = (tables.len(), NEXT.fetch_add(1, Ordering::Relaxed));
    let domains = domains(&tables);
    let named: Vec<(Option<&str>, Domain)> = levels
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let column = index_column_name(at);
            let domain = domains.iter().find(|(own, _)| *own == column).expect("labels come with the table");
            (*name, domain.1.clone())
        })
        .collect();
    let operator = Operator::Memory(MemoryPlan { tables: tables.into(), divisions });
    let mut node = Node::new(operator, domains, &[&number.to_string()], []);
    (node.partitions, node.partitionwise) = (partitions, true);
    labelled(Arc::new(node.with_rows(Some(rows))), &named)
}

fn domains(tables: &[DataFrame]) -> Vec<(PlSmallStr, Domain)> {
    let Some(first) = tables.first() else { return vec![] };
    let domain = |(at, column): (usize, &Column)| {
        let missing = tables.iter().any(|table| table.columns()[at].null_count() > 0);
        let nan = column.dtype().is_float() && tables.iter().any(|table| has_nan(&table.columns()[at]));
        (column.name().clone(), Domain::new(column.dtype().clone(), missing, nan))
    };
    first.columns().iter().enumerate().map(domain).collect()
}

fn has_nan(column: &Column) -> bool {
    column.is_nan().is_ok_and(|nan| nan.any())
}
