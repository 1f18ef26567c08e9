use super::frame::attach;
use super::{External, Frame, Index, IndexLevel, Node, Operator};
use crate::domain::Domain;
use crate::error::{FrameError, Result};
use crate::expression::Expression;
use crate::stage::{MapPartitions, MapWhole, PickPartitions, StageOutput};
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
        let external = External { source, name: name.into(), python, kept: false, near: false, inputs: vec![] };
        Self::from_external(external, partitions, levels, columns, rows)
    }

    /// The same for tasks of which more is said.
    pub(crate) fn from_external(
        external: External,
        partitions: usize,
        levels: &[(Option<&str>, Domain)],
        columns: &[(&str, Domain)],
        rows: Option<Vec<usize>>,
    ) -> Self {
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
        let mut node = self.mapped(body, name, digest, &[], columns)?;
        // Its tasks get slices of this frame, which need not be the partitions that the rows lie in.
        node.partitionwise = self.keeps_partitions();
        self.attached(Arc::new(node), columns)
    }

    /// The tables that `source` makes, one for each partition with as many rows, as columns of the rows of this frame.
    pub fn with_columns_of(&self, source: Arc<dyn Lower>, name: &str, columns: &[(&str, Domain)]) -> Result<Self> {
        let external = External { source, name: name.into(), python: false, kept: false, near: false, inputs: vec![] };
        let node = external_node(external, self.root.partitions, &[], columns);
        self.attached(Arc::new(node.with_rows(self.root.partition_rows.clone())), columns)
    }

    /// The columns of a node with as many rows as this frame, as columns of its rows.
    fn attached(&self, node: Arc<Node>, columns: &[(&str, Domain)]) -> Result<Self> {
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
        let external =
            External { source, name: name.into(), python: true, kept: false, near: false, inputs: vec![input] };
        Ok(external_node(external, partitions, levels, columns))
    }

    /// Whether its partitions are those of the rows that it was made from: where the lengths of those are not known,
    /// columns and filters that look at other rows are computed as a whole, and cut into equal parts.
    pub fn keeps_partitions(&self) -> bool {
        self.root.partitions == 1 || StageOutput::of_frame(self).is_cut_as_planned()
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

    /// The partitions `at` alone, one after another.
    pub fn pick(&self, at: &[usize]) -> Result<Self> {
        let partitions = self.root.partitions;
        if let Some(at) = at.iter().find(|at| **at >= partitions) {
            return Err(FrameError::Value(format!("there is no partition {at}; there are {partitions}")));
        }
        let frame = self.numbered()?.baked()?;
        let output = StageOutput::of_node(&frame.root);
        let source = Arc::new(PickPartitions::new(output, at.to_vec()));
        let name = format!("partition {}", at.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
        let inputs = vec![frame.root.clone()];
        let external = External { source: source.clone(), name, python: false, kept: false, near: false, inputs };
        let columns = frame.root.columns.clone();
        let mut node = Node::new(Operator::External(external), columns, &[], [source.key()]);
        (node.partitions, node.partitionwise) = (at.len(), true);
        let rows = frame.root.partition_rows.as_ref().map(|rows| at.iter().map(|at| rows[*at]).collect());
        let picked = frame.of_fewer_rows(node.with_rows(rows));
        match (frame.divisions(), at) {
            (Some(divisions), [first, .., last]) if at.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
                picked.divided(Some(divisions[*first..=last + 1].to_vec()), frame.in_order())
            }
            (Some(divisions), [at]) => picked.divided(Some(divisions[*at..=at + 1].to_vec()), frame.in_order()),
            _ => Ok(picked),
        }
    }

    /// What a Python function makes of several plans, each as one table, or of their `partitions` side by side. The
    /// result has row labels `levels` and `columns`.
    pub fn of_whole(
        inputs: Vec<StageOutput>,
        partitions: usize,
        body: OpBody,
        name: &str,
        digest: u128,
        levels: &[(Option<&str>, Domain)],
        columns: &[(&str, Domain)],
    ) -> Self {
        labelled(Arc::new(whole_node(inputs, partitions, body, name, digest, levels, columns)), levels)
    }

    /// The same for a function that gives a row for each row of this frame, in order: the result has its rows.
    pub fn with_rows_of(
        &self,
        inputs: Vec<StageOutput>,
        body: OpBody,
        name: &str,
        digest: u128,
        columns: &[(&str, Domain)],
    ) -> Result<Self> {
        self.attached(Arc::new(whole_node(inputs, 1, body, name, digest, &[], columns)), columns)
    }
}

fn whole_node(
    inputs: Vec<StageOutput>,
    partitions: usize,
    body: OpBody,
    name: &str,
    digest: u128,
    levels: &[(Option<&str>, Domain)],
    columns: &[(&str, Domain)],
) -> Node {
    let roots = inputs.iter().map(|input| input.root().clone()).collect();
    let source = Arc::new(MapWhole::new(inputs, partitions, body, name.into(), digest));
    let external = External { source, name: name.into(), python: true, kept: false, near: false, inputs: roots };
    external_node(external, partitions, levels, columns)
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
