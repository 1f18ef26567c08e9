use crate::domain::Domain;
use crate::expression::digest_of;
use crate::literal::Literal;
use crate::logical::Logical;
use crate::plan::{External, Frame, MemoryPlan, Node, Operator, labelled};
use crate::table::{FrameTable, TableFacts, index_column_name};
use crate::wire::FrameKernel;
use polars::prelude::{DataFrame, PlSmallStr};
use raskt_graph::{Cost, GraphBuilder, GraphError, Grid, Layer, LayerId, Lower, Op, OpFlags, OpKind, Shape};
use raskt_value::{Call, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells tables in memory apart: their content is not hashed.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The rows of tables in memory, a partition each: first the columns of row labels, as many as `levels`, named by
/// [`index_column_name`], then the columns.
/// `logical` says what they all are to their user; `divisions` are the first label of each table and the last of all, if
/// labels are in order.
pub fn memory(
    tables: Vec<DataFrame>,
    levels: &[Option<&str>],
    logical: &[Logical],
    divisions: Option<Vec<Literal>>,
) -> Frame {
    let facts: Vec<TableFacts> = tables.iter().map(TableFacts::of).collect();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let operator = Operator::Memory(MemoryPlan { tables: tables.into(), divisions });
    over_tables(operator, &facts.iter().collect::<Vec<_>>(), levels, logical, &[&number.to_string()], None)
}

/// The same of tables that a store keeps, or that stand beside them; nothing if not all of them have a summary
/// ([`Value::summary`]).
pub fn kept(tables: Vec<Value>, levels: &[Option<&str>], logical: &[Logical]) -> Option<Frame> {
    let facts =
        tables.iter().map(|table| table.summary()?.downcast::<TableFacts>().ok()).collect::<Option<Vec<_>>>()?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let source = Arc::new(KeptTables { tables: tables.into(), number });
    let key = source.key();
    let operator = Operator::External(External {
        source,
        name: "persisted tables".into(),
        python: false,
        kept: true,
        near: false,
        inputs: vec![],
    });
    let facts: Vec<&TableFacts> = facts.iter().map(|facts| &**facts).collect();
    Some(over_tables(operator, &facts, levels, logical, &[], Some(key)))
}

fn over_tables(
    operator: Operator,
    facts: &[&TableFacts],
    levels: &[Option<&str>],
    logical: &[Logical],
    words: &[&str],
    digest: Option<u128>,
) -> Frame {
    let rows: Arc<[usize]> = facts.iter().map(|facts| facts.rows).collect();
    let mut domains = domains(facts);
    for ((_, domain), logical) in domains.iter_mut().zip(logical) {
        let missing = domain.missing;
        *domain = Domain { missing, ..domain.clone().with_logical(logical.clone()) };
    }
    let named: Vec<(Option<&str>, Domain)> = levels
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let column = index_column_name(at);
            let domain = domains.iter().find(|(own, _)| *own == column).expect("labels come with the table");
            (*name, domain.1.clone())
        })
        .collect();
    let mut node = Node::new(operator, domains, words, digest);
    (node.partitions, node.partitionwise) = (facts.len(), true);
    labelled(Arc::new(node.with_rows(Some(rows))), &named)
}

/// What the values of all tables can be.
fn domains(facts: &[&TableFacts]) -> Vec<(PlSmallStr, Domain)> {
    let mut found = facts.first().map_or_else(Vec::new, |first| first.columns.clone());
    for other in facts.iter().skip(1) {
        for ((_, all), (_, own)) in found.iter_mut().zip(&other.columns) {
            all.missing |= own.missing;
            all.nan |= own.nan;
        }
    }
    found
}

/// Tables that a store keeps: a task for each, which gives it. So it is read before the task that needs it starts, and
/// takes no memory by being named.
struct KeptTables {
    tables: Arc<[Value]>,
    number: u64,
}

impl Lower for KeptTables {
    fn key(&self) -> u128 {
        digest_of(&["kept tables", &self.number.to_string()], &[])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        give_all(graph, self.tables.clone(), self.key())
    }
}

/// What gives the tables of a node of them that is known as `digest`, a task for each.
pub(crate) fn give(plan: &MemoryPlan, digest: u128) -> Arc<dyn Lower> {
    Arc::new(Given { tables: plan.tables.clone(), digest })
}

/// Tables in memory, of which no op is to hold any.
struct Given {
    tables: Arc<[DataFrame]>,
    digest: u128,
}

impl Lower for Given {
    fn key(&self) -> u128 {
        digest_of(&["given tables"], &[self.digest])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let tables = self.tables.iter().map(|table| FrameTable::from(table.clone()).into()).collect();
        give_all(graph, tables, self.key())
    }
}

fn give_all(graph: &mut GraphBuilder, tables: Arc<[Value]>, digest: u128) -> Result<LayerId, GraphError> {
    let grid = Grid::new([tables.len() as u32]);
    let body = Arc::new(NativeOp(Arc::new(FrameKernel::from(Give(tables)))));
    let op = graph.op(Op { kind: OpKind::Frame, name: "tables".into(), digest, flags: OpFlags::default(), body });
    graph.layer(Layer::new("tables", op, Shape::Map { grid, inputs: vec![] }).with_cost(GIVING))
}

/// What giving a table that is there takes.
const GIVING: Cost = Cost { nanoseconds: 100, output_bytes: 0, scratch_bytes: 0 };

/// Gives tables that are there.
pub(crate) struct Give(Arc<[Value]>);

impl Kernel for Give {
    fn run(&self, call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(self.0[call.index as usize].clone())
    }

    fn name(&self) -> String {
        "tables".into()
    }

    fn given(&self) -> Option<&[Value]> {
        Some(&self.0)
    }
}
