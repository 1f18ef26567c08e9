use super::frame::attach;
use super::{External, Frame, Index, IndexLevel, Node, Operator};
use crate::domain::Domain;
use crate::error::{FrameError, Result};
use crate::expression::Expression;
use crate::stage::{MapPartitions, PickPartition, StageOutput};
use crate::table::{index_column_name, internal_name};
use polars::prelude::*;
use raskt_graph::{Lower, OpBody};
use std::sync::Arc;

impl Frame {
    /// The tables that `source` makes: a partition for each of its `partitions` tasks, each with the columns of row
    /// labels (as many as `levels`) under [`index_column_name`] and then `columns`. `rows` says how many each has, if that
    /// is known.
    pub fn from_tasks(
        source: Arc<dyn Lower>,
        partitions: usize,
        levels: &[(Option<&str>, Domain)],
        columns: &[(&str, Domain)],
        name: &str,
        python: bool,
        rows: Option<Vec<usize>>,
    ) -> Self {
        let external = External { source, name: name.into(), python, kept: false, input: None };
        let node = external_node(external, partitions, levels, columns).with_rows(rows.map(Into::into));
        labelled(Arc::new(node), levels)
    }

    /// What a Python function makes of each partition: its body for the runner of Python tasks, under `digest`. The
    /// result has row labels `levels` and `columns`.
    pub fn map_partitions(
        &self,
        body: OpBody,
        name: &str,
        digest: u128,
        levels: &[(Option<&str>, Domain)],
        columns: &[(&str, Domain)],
    ) -> Result<Self> {
        let node = self.mapped(body, name, digest, levels, columns)?;
        Ok(labelled(Arc::new(node), levels))
    }

    /// The same for a function that gives a row for each row, in order: the result has the rows of this frame, so that
    /// its columns can be combined with theirs.
    pub fn map_rows(&self, body: OpBody, name: &str, digest: u128, columns: &[(&str, Domain)]) -> Result<Self> {
        let node = Arc::new(self.mapped(body, name, digest, &[], columns)?);
        let mut names = vec![];
        for (at, (column, _)) in columns.iter().enumerate() {
            names.push((PlSmallStr::from_str(column), internal_name(&format!("mapped_{:032x}", node.digest), at)));
        }
        let root = attach(&self.root, &node, &names);
        let columns = names.iter().map(|(there, here)| (there.clone(), root.column(here))).collect();
        self.with(root, columns)
    }

    fn mapped(
        &self,
        body: OpBody,
        name: &str,
        digest: u128,
        levels: &[(Option<&str>, Domain)],
        columns: &[(&str, Domain)],
    ) -> Result<Node> {
        let output = StageOutput::of_frame(self);
        let input = output.root().clone();
        let partitions = input.partitions;
        let source = Arc::new(MapPartitions::new(output, body, name.into(), digest));
        let external = External { source, name: name.into(), python: true, kept: false, input: Some(input) };
        Ok(external_node(external, partitions, levels, columns))
    }

    /// The same rows in `partitions` equal partitions.
    pub fn repartition(&self, partitions: usize) -> Result<Self> {
        if partitions == 0 {
            return Err(FrameError::Value("a dataframe needs at least one partition".into()));
        }
        let frame = self.baked()?;
        let input = frame.root.clone();
        let words = partitions.to_string();
        let operator = Operator::Repartition { input: input.clone() };
        let mut node = Node::new(operator, input.columns.clone(), &[&words], [input.digest]);
        node.partitions = partitions;
        Ok(frame.moved(node))
    }

    /// Partition `at` alone.
    pub fn partition(&self, at: usize) -> Result<Self> {
        let partitions = self.root.partitions;
        if at >= partitions {
            return Err(FrameError::Value(format!("there is no partition {at}; there are {partitions}")));
        }
        let frame = self.numbered()?.baked()?;
        let output = StageOutput::of_node(&frame.root);
        let source = Arc::new(PickPartition::new(output, at));
        let name = format!("partition {at}");
        let external =
            External { source: source.clone(), name, python: false, kept: false, input: Some(frame.root.clone()) };
        let columns = frame.root.columns.clone();
        let mut node = Node::new(Operator::External(external), columns, &[], [source.key()]);
        node.partitionwise = true;
        Ok(frame.moved(node))
    }
}

fn external_node(
    external: External,
    partitions: usize,
    levels: &[(Option<&str>, Domain)],
    columns: &[(&str, Domain)],
) -> Node {
    let labels = levels.iter().enumerate().map(|(at, (_, domain))| (index_column_name(at), domain.clone()));
    let columns = columns.iter().map(|(name, domain)| (PlSmallStr::from_str(name), domain.clone()));
    let key = external.source.key();
    let mut node = Node::new(Operator::External(external), labels.chain(columns).collect(), &[], [key]);
    node.partitions = partitions;
    node.partitionwise = true;
    node
}

/// The columns of a node whose first columns are the labels.
pub(crate) fn labelled(node: Arc<Node>, levels: &[(Option<&str>, Domain)]) -> Frame {
    let level = |(at, (name, _)): (usize, &(Option<&str>, Domain))| IndexLevel {
        name: name.map(PlSmallStr::from_str),
        values: node.column(&index_column_name(at)),
    };
    let index = match levels.is_empty() {
        true => Index::Rows(None),
        false => Index::Levels(levels.iter().enumerate().map(level).collect()),
    };
    let columns = node.columns[levels.len()..]
        .iter()
        .map(|(name, domain)| (name.clone(), Expression::column(name, domain.clone())));
    let columns = columns.collect();
    Frame { root: node, index, columns }
}
