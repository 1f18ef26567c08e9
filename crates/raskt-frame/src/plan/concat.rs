use super::frame::project;
use super::{Frame, Index, IndexLevel, Node, Operator};
use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, common_dtype};
use crate::logical::same;
use crate::table::index_column_name;
use crate::tree::{self, ColumnDtype};
use polars::prelude::PlSmallStr;
use std::sync::Arc;

/// Which columns a frame of several frames' rows has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcatJoin {
    /// Those of any; missing where a frame lacks them.
    Outer,
    /// Those of all.
    Inner,
}

impl Frame {
    /// The rows of each frame under those of the one before.
    pub fn concat(frames: &[Self], join: ConcatJoin, ignore_index: bool) -> Result<Self> {
        let Some(first) = frames.first() else {
            return Err(FrameError::Value("there is no dataframe to concatenate".into()));
        };
        let frames: Result<Vec<Self>> = match ignore_index {
            true => frames.iter().map(|frame| Ok(Self { index: Index::Rows(None), ..frame.clone() })).collect(),
            false => frames.iter().map(Self::numbered).collect(),
        };
        let frames = frames?;
        let levels = frames[0].index.expressions().len();
        if frames.iter().any(|frame| frame.index.expressions().len() != levels) {
            return Err(FrameError::Value("the dataframes have row labels of different numbers of levels".into()));
        }
        let columns = common_columns(&frames, join)?;
        let labels = common_labels(&frames, levels)?;
        let inputs: Result<Vec<Arc<Node>>> = frames.iter().map(|frame| aligned(frame, &labels, &columns)).collect();
        let node = Arc::new(concatenated(inputs?, labels.iter().chain(&columns).cloned().collect()));
        let index = match ignore_index {
            true => Index::Rows(None),
            false => {
                let names = first.index.names();
                let same = frames.iter().all(|frame| frame.index.names() == names);
                let level = |at: usize| IndexLevel {
                    name: if same { names[at].clone() } else { None },
                    values: node.column(&index_column_name(at)),
                };
                Index::Levels((0..levels).map(level).collect())
            }
        };
        let columns = columns.iter().map(|(name, _)| (name.clone(), node.column(name))).collect();
        Ok(Self { root: node, index, columns })
    }
}

/// The columns of the result with the domain that holds the values of all.
fn common_columns(frames: &[Frame], join: ConcatJoin) -> Result<Vec<(PlSmallStr, Domain)>> {
    let mut names: Vec<PlSmallStr> = vec![];
    for frame in frames {
        names.extend(
            frame.columns.iter().map(|(name, _)| name.clone()).filter(|name| !names.contains(name)).collect::<Vec<_>>(),
        );
    }
    let mut found = vec![];
    for name in names {
        let domains: Vec<Option<&Domain>> = frames
            .iter()
            .map(|frame| frame.columns.iter().find(|(own, _)| *own == name).map(|(_, values)| &values.domain))
            .collect();
        let everywhere = domains.iter().all(Option::is_some);
        if join == ConcatJoin::Inner && !everywhere {
            continue;
        }
        let mut domain = common_domain(&name, domains.into_iter().flatten())?;
        domain = domain.with_more_missing(!everywhere);
        found.push((name, domain));
    }
    Ok(found)
}

fn common_labels(frames: &[Frame], levels: usize) -> Result<Vec<(PlSmallStr, Domain)>> {
    let level = |at: usize| {
        let domains = frames.iter().map(|frame| &frame.index.expressions()[at].values.domain);
        Ok((index_column_name(at), common_domain("the row labels", domains)?))
    };
    (0..levels).map(level).collect()
}

fn common_domain<'a>(name: &str, mut domains: impl Iterator<Item = &'a Domain>) -> Result<Domain> {
    let mut found = domains.next().expect("a column is in one frame at least").clone();
    for domain in domains {
        same(&format!("`{name}`"), &found, domain)?;
        let alike = found.class() == domain.class() || (found.is_numeric() && domain.is_numeric());
        let text = |class| matches!(class, DomainClass::Text | DomainClass::Category);
        if !(alike || text(found.class()) && text(domain.class())) {
            let (a, b) = (found.pandas_dtype(), domain.pandas_dtype());
            return Err(FrameError::Type(format!(
                "`{name}` is of {a} in one dataframe and of {b} in another; convert one with astype to concatenate them"
            )));
        }
        found.dtype = common_dtype(&found, domain)?;
        found.missing |= domain.missing;
        found.was_missing |= domain.was_missing;
        found.all_or_none = false;
        found.nan |= domain.nan;
        found.magnitude = found.magnitude.max(domain.magnitude);
    }
    Ok(found)
}

/// The frame with exactly those labels and columns, of those types.
fn aligned(frame: &Frame, labels: &[(PlSmallStr, Domain)], columns: &[(PlSmallStr, Domain)]) -> Result<Arc<Node>> {
    let mut selected = vec![];
    for (at, (name, domain)) in labels.iter().enumerate() {
        let values = frame.index.expressions()[at].values.cast(&frame.root.scope, &domain.dtype)?;
        selected.push((name.clone(), values));
    }
    for (name, domain) in columns {
        let own = frame.columns.iter().find(|(own, _)| own == name).map(|(_, values)| values.clone());
        let values = match own {
            Some(values) => values.cast(&frame.root.scope, &domain.dtype)?,
            None => {
                let nothing = tree::missing(ColumnDtype::of_engine(&domain.dtype)?);
                Expression::computed(&frame.root.scope, &[], nothing)?.missing(true)
            }
        };
        selected.push((name.clone(), values));
    }
    Ok(project(&frame.root, selected))
}

fn concatenated(inputs: Vec<Arc<Node>>, columns: Vec<(PlSmallStr, Domain)>) -> Node {
    let digests: Vec<u128> = inputs.iter().map(|input| input.digest).collect();
    let partitions = inputs.iter().map(|input| input.partitions).sum();
    let partitionwise = inputs.iter().all(|input| input.partitionwise);
    let rows: Option<Vec<usize>> = inputs
        .iter()
        .map(|input| input.partition_rows.as_ref().map(|rows| rows.to_vec()))
        .collect::<Option<Vec<_>>>()
        .map(|rows| rows.concat());
    let mut node = Node::new(Operator::Concat { inputs }, columns, &[], digests);
    node.partitions = partitions;
    node.partitionwise = partitionwise;
    node.with_rows(rows.map(Into::into))
}
