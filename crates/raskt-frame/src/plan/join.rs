use super::frame::{project, unify};
use super::node::JoinPlan;
use super::{Column, Frame, Index, IndexLevel, Node, Operator};
use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, common_dtype, content_of};
use crate::logical::same;
use crate::table::{internal_name, is_internal};
use crate::tree;
use polars::prelude::*;
use std::sync::Arc;

/// Which rows a join gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum JoinHow {
    /// Pairs with equal keys.
    Inner,
    /// Those, and rows of the left without a partner.
    Left,
    /// Those, and rows of the right without a partner.
    Right,
    /// Those, and rows of either without a partner, by key.
    Outer,
    /// All pairs.
    Cross,
    /// Rows of the left with a partner.
    LeftSemi,
    /// Rows of the left without a partner.
    LeftAnti,
}

impl JoinHow {
    /// By pandas' and Dask's name.
    pub fn from_name(name: &str) -> Result<Self> {
        Ok(match name {
            "inner" => Self::Inner,
            "left" => Self::Left,
            "right" => Self::Right,
            "outer" => Self::Outer,
            "cross" => Self::Cross,
            "leftsemi" | "left_semi" => Self::LeftSemi,
            "leftanti" | "left_anti" => Self::LeftAnti,
            _ => {
                return Err(FrameError::Value(format!(
                    "how is `{name}`; it has to be `inner`, `left`, `right`, `outer`, `cross`, `leftsemi` or `leftanti`"
                )));
            }
        })
    }

    fn keeps_left(self) -> bool {
        matches!(self, Self::Left | Self::Outer)
    }

    fn keeps_right(self) -> bool {
        matches!(self, Self::Right | Self::Outer)
    }

    fn filters_left(self) -> bool {
        matches!(self, Self::LeftSemi | Self::LeftAnti)
    }
}

/// What has to be equal on one side of a join.
#[derive(Clone, Debug)]
pub enum JoinKeys {
    /// Columns.
    Columns(Vec<Column>),
    /// The row labels.
    Labels,
}

/// What else a join can be told.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// Which rows it gives.
    pub how: JoinHow,
    /// What is added to names that both sides have.
    pub suffixes: (String, String),
    /// The name of a column that says where a row comes from.
    pub indicator: Option<String>,
}

impl Frame {
    /// The rows of this frame beside those of `other` with equal keys.
    pub fn join(&self, other: &Self, left_on: &JoinKeys, right_on: &JoinKeys, options: &JoinOptions) -> Result<Self> {
        let left = Side::new(self, left_on, matches!(right_on, JoinKeys::Labels))?;
        let right = Side::new(other, right_on, matches!(left_on, JoinKeys::Labels))?;
        if options.how != JoinHow::Cross && (left.keys.is_empty() || left.keys.len() != right.keys.len()) {
            let (left, right) = (left.keys.len(), right.keys.len());
            return Err(FrameError::Value(format!("a join needs as many keys on both sides, not {left} and {right}")));
        }
        Join { left, right, options }.plan()
    }
}

/// One side of a join: a frame and its keys, over one node.
struct Side {
    frame: Frame,
    keys: Vec<Column>,
    on_labels: bool,
}

impl Side {
    fn new(frame: &Frame, on: &JoinKeys, keeps_labels: bool) -> Result<Self> {
        match on {
            JoinKeys::Columns(columns) => {
                let mut root = frame.root.clone();
                for column in columns {
                    root = unify(&root, &column.root)?;
                }
                let frame = Frame { root, ..frame.clone() };
                // Joined with labels, the rows keep their own; otherwise nobody sees the numbers.
                let frame = if keeps_labels { frame.numbered()? } else { frame };
                Ok(Self { frame, keys: columns.clone(), on_labels: false })
            }
            JoinKeys::Labels => {
                let frame = frame.numbered()?;
                let keys = frame
                    .index
                    .expressions()
                    .iter()
                    .map(|level| frame.column_of(level.name.clone(), level.values.clone()));
                let keys = keys.collect();
                Ok(Self { frame, keys, on_labels: true })
            }
        }
    }

    /// Whether key `at` is simply the column `name`.
    fn is_key(&self, at: usize, name: &str) -> bool {
        let key = &self.keys[at];
        !self.on_labels
            && key.name.as_deref() == Some(name)
            && self.frame.columns.iter().any(|(own, values)| own == name && values.digest == key.values.digest)
    }

    /// Columns under their new names, with the keys, as a node.
    fn node(&self, columns: &[(PlSmallStr, Expression)], prefix: &str, dtypes: &[DataType]) -> Result<Arc<Node>> {
        let mut all = columns.to_vec();
        for (at, (key, dtype)) in self.keys.iter().zip(dtypes).enumerate() {
            let values = Expression::new(key.values.normal(), key.values.domain.clone(), key.values.extent).nan(false);
            let values = values.missing(key.values.domain.can_miss());
            let values = if values.domain.dtype == *dtype {
                values
            } else {
                values.cast(&self.frame.root.scope, dtype)?.nan(false)
            };
            all.push((key_name(prefix, at), values));
        }
        Ok(project(&self.frame.root, all))
    }
}

struct Join<'a> {
    left: Side,
    right: Side,
    options: &'a JoinOptions,
}

impl Join<'_> {
    fn plan(&self) -> Result<Frame> {
        let how = self.options.how;
        let dtypes = self.key_types()?;
        if how.filters_left() {
            return self.filtered(&dtypes);
        }
        let (left_columns, right_columns, shared) = self.names()?;
        let left = self.left.node(&left_columns, "left", &dtypes)?;
        let right = self.right.node(&right_columns, "right", &dtypes)?;
        let node = Arc::new(self.node(left, right));
        let mut columns = vec![];
        let is_label = |name: &PlSmallStr| is_internal(name, "label");
        for (name, values) in left_columns.iter().filter(|(name, _)| !is_label(name)) {
            let shared_key = shared.iter().position(|key| key == name);
            columns.push((
                name.clone(),
                match shared_key {
                    // The key of the left as it is, whatever the two were compared in.
                    Some(_) if matches!(how, JoinHow::Inner | JoinHow::Left) => node.column(name),
                    Some(at) => self.merged_key(&node, at)?,
                    None => {
                        Expression { domain: node.domain(name).unwrap_or(&values.domain).clone(), ..node.column(name) }
                    }
                },
            ));
        }
        let right = right_columns.iter().filter(|(name, _)| !is_label(name));
        columns.extend(right.map(|(name, _)| (name.clone(), node.column(name))));
        if let Some(name) = &self.options.indicator {
            columns.push((PlSmallStr::from_str(name), node.column(name)));
        }
        let index = self.index(&node)?;
        Frame { root: node.clone(), index, columns: vec![] }.with(node, columns)
    }

    /// The types that keys are compared in.
    fn key_types(&self) -> Result<Vec<DataType>> {
        let mut found = vec![];
        for (left, right) in self.left.keys.iter().zip(&self.right.keys) {
            let (a, b) = (&left.values.domain, &right.values.domain);
            a.check_ordered("merge")?;
            same("a key", a, b)?;
            let alike = a.class() == b.class() || (a.is_numeric() && b.is_numeric());
            let alike = alike
                || matches!(
                    (a.class(), b.class()),
                    (DomainClass::Text, DomainClass::Category) | (DomainClass::Category, DomainClass::Text)
                );
            if !alike {
                let name = left.name.as_deref().unwrap_or("the labels");
                let (a, b) = (a.pandas_dtype(), b.pandas_dtype());
                return Err(FrameError::Value(format!(
                    "`{name}` is of {a} on the left and of {b} on the right; convert one with astype to join them"
                )));
            }
            found.push(match (a.class(), b.class()) {
                (DomainClass::Text, DomainClass::Category) | (DomainClass::Category, DomainClass::Text) => {
                    DataType::String
                }
                _ if a.dtype == b.dtype => a.dtype.clone(),
                _ => common_dtype(a, b)?,
            });
        }
        Ok(found)
    }

    /// The columns of both sides under the names that they have in the result, and the names of the keys that both
    /// sides share: these come once.
    #[expect(clippy::type_complexity, reason = "three lists of one kind, used in one place")]
    fn names(&self) -> Result<(Vec<(PlSmallStr, Expression)>, Vec<(PlSmallStr, Expression)>, Vec<PlSmallStr>)> {
        let mut shared = vec![];
        let mut shared_by_position = vec![];
        for at in 0..self.left.keys.len() {
            let name = self.left.keys[at]
                .name
                .clone()
                .filter(|name| self.left.is_key(at, name) && self.right.is_key(at, name));
            shared_by_position.push(name.clone());
            shared.extend(name);
        }
        let (left_suffix, right_suffix) = &self.options.suffixes;
        let overlapping = |name: &PlSmallStr, other: &Frame| {
            !shared.contains(name) && other.columns.iter().any(|(theirs, _)| theirs == name)
        };
        let suffixed = |(name, values): &(PlSmallStr, Expression), other: &Frame, suffix: &str| {
            let renamed = match overlapping(name, other) {
                true => PlSmallStr::from_string(format!("{name}{suffix}")),
                false => name.clone(),
            };
            (renamed, values.clone())
        };
        let (a, b) = (&self.left.frame, &self.right.frame);
        if left_suffix.is_empty() && right_suffix.is_empty() {
            let found: Vec<&str> =
                a.columns.iter().filter(|(name, _)| overlapping(name, b)).map(|(name, _)| name.as_str()).collect();
            if !found.is_empty() {
                let found = found.join("`, `");
                return Err(FrameError::Value(format!("columns overlap but no suffix was given: `{found}`")));
            }
        }
        let mut left: Vec<_> = a.columns.iter().map(|column| suffixed(column, b, left_suffix)).collect();
        // A shared key is left out by its own name: another column may be renamed to be called like it.
        let kept = b.columns.iter().filter(|(name, _)| !shared.contains(name));
        let mut right: Vec<_> = kept.map(|column| suffixed(column, a, right_suffix)).collect();
        // The labels that survive travel with their side.
        if self.keeps_left_labels() {
            for (at, level) in self.left.frame.index.expressions().iter().enumerate() {
                left.push((label_name(at), level.values.clone()));
            }
        }
        if self.keeps_right_labels() {
            for (at, level) in self.right.frame.index.expressions().iter().enumerate() {
                right.push((label_name(at), level.values.clone()));
            }
        }
        Ok((left, right, shared_by_position.into_iter().flatten().collect()))
    }

    /// Joining columns with labels keeps the labels of the side whose columns they were.
    fn keeps_left_labels(&self) -> bool {
        self.right.on_labels && !self.left.on_labels && !matches!(self.left.frame.index, Index::Rows(_))
    }

    fn keeps_right_labels(&self) -> bool {
        self.left.on_labels && !self.right.on_labels && !matches!(self.right.frame.index, Index::Rows(_))
    }

    fn node(&self, left: Arc<Node>, right: Arc<Node>) -> Node {
        let how = self.options.how;
        let mut columns = vec![];
        let joined = |(name, domain): &(PlSmallStr, Domain), keeps: bool, loose: bool| {
            let domain = if keeps { domain.clone() } else { domain.clone().with_fewer_missing() };
            (name.clone(), domain.with_more_missing(loose))
        };
        let (keeps_left, keeps_right) = (how.keeps_left(), how.keeps_right());
        columns.extend(left.columns.iter().map(|column| joined(column, keeps_left, keeps_right)));
        columns.extend(right.columns.iter().map(|column| joined(column, keeps_right, keeps_left)));
        let indicator = self.options.indicator.as_deref().map(PlSmallStr::from_str);
        columns.extend(indicator.iter().map(|name| (name.clone(), Domain::full(indicator_dtype()))));
        let keys: Vec<(PlSmallStr, PlSmallStr)> =
            (0..self.left.keys.len()).map(|at| (key_name("left", at), key_name("right", at))).collect();
        let both_miss = |(a, b): (&Column, &Column)| a.values.domain.can_miss() && b.values.domain.can_miss();
        let match_missing = self.left.keys.iter().zip(&self.right.keys).any(both_miss);
        let digests = [content_of(&(how, &indicator, keys.len())), left.digest, right.digest];
        let partitions = left.partitions;
        let plan = JoinPlan { left, right, keys, how, match_missing, indicator };
        let mut node = Node::new(Operator::Join(plan), columns, &[], digests);
        node.partitions = partitions;
        node
    }

    /// A key that both sides share: from the side that has it in every row.
    fn merged_key(&self, node: &Node, at: usize) -> Result<Expression> {
        let (left, right) = (key_name("left", at), key_name("right", at));
        let one = |name: &PlSmallStr, side: &Side| {
            // In the type of its own side, whatever the two were compared in.
            let domain = side.keys[at].values.settled().domain;
            let key = node.column(name).missing(domain.can_miss());
            if domain.is_plain() { key.cast(&node.scope, &domain.dtype) } else { Ok(key) }
        };
        Ok(match self.options.how {
            JoinHow::Right => one(&right, &self.right)?,
            JoinHow::Outer => {
                let expr = tree::coalesce([tree::column(&left), tree::column(&right)]);
                let operands = [&node.column(&left).operand(), &node.column(&right).operand()];
                let missing =
                    self.left.keys[at].values.domain.can_miss() || self.right.keys[at].values.domain.can_miss();
                let mut found = Expression::computed(&node.scope, &operands, expr)?.missing(missing);
                found.domain = found.domain.with_logical(self.left.keys[at].values.domain.logical.clone());
                found
            }
            _ => one(&left, &self.left)?,
        })
    }

    fn index(&self, node: &Node) -> Result<Index> {
        if self.left.on_labels && self.right.on_labels {
            let mut levels = vec![];
            for (at, key) in self.left.keys.iter().enumerate() {
                let values = self.merged_key(node, at)?;
                let named = if self.options.how == JoinHow::Right { &self.right.keys[at] } else { key };
                let name = named.name.clone();
                levels.push(IndexLevel { name, values });
            }
            return Ok(Index::Levels(levels));
        }
        let kept = match (self.keeps_left_labels(), self.keeps_right_labels()) {
            (true, _) => &self.left.frame.index,
            (_, true) => &self.right.frame.index,
            _ => return Ok(Index::Rows(None)),
        };
        let level = |(at, level): (usize, &IndexLevel)| IndexLevel {
            name: level.name.clone(),
            values: node.column(&label_name(at)),
        };
        Ok(Index::Levels(kept.expressions().iter().enumerate().map(level).collect()))
    }

    /// Semi and anti joins give rows of the left as they are.
    fn filtered(&self, dtypes: &[DataType]) -> Result<Frame> {
        let frame = self.left.frame.numbered()?;
        let side = Side { frame: frame.clone(), keys: self.left.keys.clone(), on_labels: self.left.on_labels };
        let mut columns: Vec<(PlSmallStr, Expression)> = frame.columns.clone();
        for (at, level) in frame.index.expressions().iter().enumerate() {
            columns.push((label_name(at), level.values.clone()));
        }
        let left = side.node(&columns, "left", dtypes)?;
        let right = self.right.node(&[], "right", dtypes)?;
        let mut node = self.node(left.clone(), right);
        node.columns.truncate(left.columns.len());
        node.scope = left.scope.clone();
        let node = Arc::new(node);
        let levels = frame.index.expressions().iter().enumerate();
        let levels =
            levels.map(|(at, level)| IndexLevel { name: level.name.clone(), values: node.column(&label_name(at)) });
        let index = Index::Levels(levels.collect());
        let columns = frame.columns.iter().map(|(name, _)| (name.clone(), node.column(name))).collect();
        Ok(Frame { root: node, index, columns })
    }
}

/// The type of the column that says which side a row comes from.
pub(crate) fn indicator_dtype() -> DataType {
    let names = ["left_only", "right_only", "both"];
    DataType::from_frozen_categories(FrozenCategories::new(names).expect("the names differ"))
}

fn key_name(side: &str, at: usize) -> PlSmallStr {
    internal_name(&format!("{side}_key"), at)
}

fn label_name(at: usize) -> PlSmallStr {
    internal_name("label", at)
}
