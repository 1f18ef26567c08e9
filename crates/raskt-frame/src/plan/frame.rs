use super::{Node, Operator};
use crate::domain::Domain;
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Extent, Operand, digest_of};
use crate::literal::Literal;
use crate::table::{check_name, index_column_name, is_internal};
use polars::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// A table with named columns and row labels: a plan of one.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Which rows there are.
    pub root: Arc<Node>,
    /// Their labels.
    pub index: Index,
    /// The columns, in order; no two have the same name.
    pub columns: Vec<(PlSmallStr, Expression)>,
}

/// A column with the labels of its rows, or a lazy scalar: a plan of one.
#[derive(Clone, Debug)]
pub struct Column {
    /// Which rows there are.
    pub root: Arc<Node>,
    /// Their labels.
    pub index: Index,
    /// The name, if it has one.
    pub name: Option<PlSmallStr>,
    /// The values.
    pub values: Expression,
    /// Whether it stands for row labels (a pandas `Index`).
    pub labels: bool,
    /// Whether it is a number that pandas counts as an `int` of Python: how many rows there are, or different values.
    pub counted: bool,
}

/// The labels of rows.
#[derive(Clone, Debug)]
pub enum Index {
    /// The positions of the rows, from 0; they have a name only if one was given.
    Rows(Option<PlSmallStr>),
    /// Values, in one level or more.
    Levels(Vec<IndexLevel>),
}

/// One level of row labels.
#[derive(Clone, Debug)]
pub struct IndexLevel {
    /// Its name, if it has one.
    pub name: Option<PlSmallStr>,
    /// The labels.
    pub values: Expression,
}

impl Index {
    /// The names of the levels.
    pub fn names(&self) -> Vec<Option<PlSmallStr>> {
        match self {
            Self::Rows(name) => vec![name.clone()],
            Self::Levels(levels) => levels.iter().map(|level| level.name.clone()).collect(),
        }
    }

    /// The name of pandas' type of the labels (of the first level).
    pub fn pandas_dtype(&self) -> String {
        match self {
            Self::Rows(_) => "int64".into(),
            Self::Levels(levels) => levels[0].values.domain.pandas_dtype(),
        }
    }

    pub(crate) fn expressions(&self) -> &[IndexLevel] {
        match self {
            Self::Rows(_) => &[],
            Self::Levels(levels) => levels,
        }
    }

    fn digests(&self) -> Vec<u128> {
        match self {
            Self::Rows(name) => vec![digest_of(&["rows", name.as_deref().unwrap_or("\0")], &[])],
            Self::Levels(levels) => levels
                .iter()
                .map(|level| digest_of(&["level", level.name.as_deref().unwrap_or("\0")], &[level.values.digest]))
                .collect(),
        }
    }
}

impl Frame {
    /// All columns of `root` but those of its labels.
    pub fn over(root: Arc<Node>, index: Index) -> Self {
        let labels: Vec<PlSmallStr> = index.expressions().iter().flat_map(|level| level.values.leaves()).collect();
        let columns = root
            .columns
            .iter()
            .filter(|(name, _)| !labels.contains(name) && !is_internal(name, "row"))
            .map(|(name, domain)| (name.clone(), Expression::column(name, domain.clone())))
            .collect();
        Self { root, index, columns }
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The hash of its content.
    pub fn digest(&self) -> u128 {
        let names: Vec<&str> = self.names().collect();
        let mut digests = self.index.digests();
        digests.extend(self.columns.iter().map(|(_, values)| values.digest));
        digests.push(self.root.digest);
        digest_of(&[&["frame"], names.as_slice()].concat(), &digests)
    }

    /// The column `name`.
    pub fn column(&self, name: &str) -> Result<Column> {
        let found = self.columns.iter().find(|(column, _)| column == name);
        let (name, values) = found.ok_or_else(|| FrameError::unknown_column(name, self.names()))?;
        Ok(self.column_of(Some(name.clone()), values.clone()))
    }

    /// The column at position `at`.
    pub fn column_at(&self, at: usize) -> Result<Column> {
        let found = self.columns.get(at);
        let (name, values) = found.ok_or_else(|| FrameError::Value(format!("there is no column number {at}")))?;
        Ok(self.column_of(Some(name.clone()), values.clone()))
    }

    pub(crate) fn column_of(&self, name: Option<PlSmallStr>, values: Expression) -> Column {
        Column { root: self.root.clone(), index: self.index.clone(), name, values, labels: false, counted: false }
    }

    /// The labels of the rows, as a column.
    pub fn labels(&self) -> Result<Column> {
        let (name, values) = match &self.index {
            Index::Rows(name) => (name.clone(), Expression::row_number(&self.root.scope)?),
            Index::Levels(levels) if levels.len() == 1 => (levels[0].name.clone(), levels[0].values.clone()),
            Index::Levels(_) => {
                return Err(FrameError::NotImplemented("row labels of several levels have no column form yet".into()));
            }
        };
        Ok(Column { labels: true, ..self.column_of(name, values) })
    }

    /// The labels of level `at`, as a column.
    pub fn level(&self, at: usize) -> Result<Column> {
        let levels = match &self.index {
            Index::Levels(levels) if levels.len() > 1 => levels,
            _ => return self.labels(),
        };
        let Some(level) = levels.get(at) else {
            let count = levels.len();
            return Err(FrameError::Value(format!("there is no level {at} of row labels; there are {count}")));
        };
        Ok(Column { labels: true, ..self.column_of(level.name.clone(), level.values.clone()) })
    }

    /// The same rows with `levels` for labels, each a column of them under its name.
    pub fn with_levels(&self, levels: &[Column]) -> Result<Self> {
        let mut root = self.root.clone();
        for level in levels {
            root = unify(&root, &level.root)?;
        }
        let index = match levels.is_empty() {
            true => Index::Rows(None),
            false => Index::Levels(
                levels
                    .iter()
                    .map(|level| IndexLevel {
                        name: level.name.clone(),
                        values: root.for_each_row(level.values.clone()),
                    })
                    .collect(),
            ),
        };
        let frame = Self { root, index, columns: self.columns.clone() };
        // In pandas a column of times has no frequency, whatever it was made of.
        let of_columns = levels.iter().all(|level| !level.labels);
        if of_columns && frame.frequency().is_some() { frame.stepped("") } else { Ok(frame) }
    }

    /// The columns `names`, in that order.
    pub fn project(&self, names: &[&str]) -> Result<Self> {
        let columns: Result<Vec<_>> = names
            .iter()
            .map(|name| self.column(name).map(|column| (PlSmallStr::from_str(name), column.values)))
            .collect();
        self.with(self.root.clone(), columns?)
    }

    /// The same rows with other columns, each a column over the same rows or a value.
    pub fn select(&self, columns: &[(&str, ColumnOrValue)]) -> Result<Self> {
        let mut root = self.root.clone();
        let mut selected = vec![];
        for (name, value) in columns {
            let values = match value {
                ColumnOrValue::Column(column) => {
                    root = unify(&root, &column.root)?;
                    column.values.clone()
                }
                ColumnOrValue::Literal(literal) => Expression::literal(literal),
            };
            selected.push((PlSmallStr::from_str(name), values));
        }
        self.with(root, selected)
    }

    /// The same with columns replaced or added at the end.
    pub fn assign(&self, columns: &[(&str, ColumnOrValue)]) -> Result<Self> {
        let added = self.select(columns)?;
        let mut columns = self.columns.clone();
        for (name, values) in added.columns {
            let values = added.root.for_each_row(values);
            match columns.iter_mut().find(|(column, _)| *column == name) {
                Some(column) => column.1 = values,
                None => columns.push((name, values)),
            }
        }
        self.with(added.root, columns)
    }

    /// The same with columns renamed; names that no column has are ignored.
    pub fn rename(&self, names: &[(&str, &str)]) -> Result<Self> {
        let renamed = |name: &PlSmallStr| {
            let new = names.iter().find(|(old, _)| *old == name.as_str()).map(|(_, new)| PlSmallStr::from_str(new));
            new.unwrap_or_else(|| name.clone())
        };
        let columns = self.columns.iter().map(|(name, values)| (renamed(name), values.clone())).collect();
        self.with(self.root.clone(), columns)
    }

    /// The same rows with `column` for labels, and without it among the columns if `drop`.
    pub fn set_index(&self, column: &Column, drop: bool, append: bool) -> Result<Self> {
        let root = unify(&self.root, &column.root)?;
        let mut levels = if append { self.numbered()?.index.expressions().to_vec() } else { vec![] };
        let root = if append { unify(&self.numbered()?.root, &root)? } else { root };
        levels.push(IndexLevel { name: column.name.clone(), values: root.for_each_row(column.values.clone()) });
        let columns = self.columns.iter().filter(|(name, values)| {
            !(drop && column.name.as_ref() == Some(name) && values.digest == column.values.digest)
        });
        let columns = columns.cloned().collect();
        Ok(Self { root, index: Index::Levels(levels), columns })
    }

    /// The labels as the first columns (or nowhere if `drop`), and positions for labels.
    pub fn reset_index(&self, drop: bool, names: Option<&[&str]>) -> Result<Self> {
        let mut columns = vec![];
        if !drop {
            let levels: Vec<IndexLevel> = match &self.index {
                Index::Rows(name) => {
                    vec![IndexLevel { name: name.clone(), values: Expression::row_number(&self.root.scope)? }]
                }
                Index::Levels(levels) => levels.clone(),
            };
            for (at, level) in levels.iter().enumerate() {
                let default = if levels.len() == 1 { "index".into() } else { format!("level_{at}") };
                let given = names.and_then(|names| names.get(at)).map(|name| PlSmallStr::from_str(name));
                let name = given.or(level.name.clone()).unwrap_or_else(|| PlSmallStr::from_string(default));
                columns.push((name, level.values.clone()));
            }
        }
        columns.extend(self.columns.iter().cloned());
        Self { index: Index::Rows(None), ..self.clone() }.with(self.root.clone(), columns)
    }

    /// The same with other names for the levels of the labels.
    pub fn rename_axis(&self, names: &[Option<&str>]) -> Result<Self> {
        let own = self.index.names().len();
        if names.len() != own {
            return Err(FrameError::Value(format!("{} names were given for {own} levels of labels", names.len())));
        }
        let small = |name: &Option<&str>| name.map(PlSmallStr::from_str);
        let index = match &self.index {
            Index::Rows(_) => Index::Rows(small(&names[0])),
            Index::Levels(levels) => Index::Levels(
                levels
                    .iter()
                    .zip(names)
                    .map(|(level, name)| IndexLevel { name: small(name), ..level.clone() })
                    .collect(),
            ),
        };
        Ok(Self { index, ..self.clone() })
    }

    /// The same, so that each partition knows its labels by itself: where rows are numbered, and nobody knows how many
    /// come before those of a partition, the numbers become a column.
    pub fn with_known_labels(&self) -> Result<Self> {
        let unknown = self.root.partitions > 1 && self.root.partition_rows.is_none();
        if unknown { self.numbered() } else { Ok(self.clone()) }
    }

    /// The same with labels that don't change when rows go away: positions become a column of numbers.
    pub(crate) fn numbered(&self) -> Result<Self> {
        let Index::Rows(name) = &self.index else { return Ok(self.clone()) };
        let input = self.root.clone();
        let column = input.fresh_name("row");
        let mut columns = input.columns.clone();
        columns.push((column.clone(), Domain::full(IDX_DTYPE)));
        let operator = Operator::RowNumber { input: input.clone(), name: column.clone() };
        let local = input.partition_rows.is_some();
        let root = Node::new(operator, columns, &[&column], [input.digest]);
        let root = Arc::new(root.partitioned_like(&input, local).with_rows(input.partition_rows.clone()));
        let values = root.column(&column).cast(&root.scope, &DataType::Int64)?;
        let index = Index::Levels(vec![IndexLevel { name: name.clone(), values }]);
        Ok(Self { root, index, columns: self.columns.clone() })
    }

    /// The same with every column and label computed: columns of a node of their own, under their names.
    pub(crate) fn baked(&self) -> Result<Self> {
        let levels = self.index.expressions();
        let labels = levels.iter().enumerate().map(|(at, level)| (index_column_name(at), level.values.clone()));
        let columns: Vec<(PlSmallStr, Expression)> = labels.chain(self.columns.iter().cloned()).collect();
        let root = project(&self.root, columns);
        let index = match &self.index {
            Index::Rows(name) => Index::Rows(name.clone()),
            Index::Levels(levels) => Index::Levels(
                levels
                    .iter()
                    .enumerate()
                    .map(|(at, level)| IndexLevel {
                        name: level.name.clone(),
                        values: root.column(&index_column_name(at)),
                    })
                    .collect(),
            ),
        };
        let columns = self.columns.iter().map(|(name, _)| (name.clone(), root.column(name))).collect();
        Ok(Self { root, index, columns })
    }

    /// The same, with everything that looks beyond its own row computed, so that rows may go away or move.
    pub(crate) fn rowwise(&self) -> Result<Self> {
        let levels = self.index.expressions().iter().map(|level| level.values.extent);
        let mut extents = levels.chain(self.columns.iter().map(|(_, values)| values.extent));
        let literal = |values: &Expression| values.extent.is_scalar() && values.leaves().is_empty();
        let literals = self.columns.iter().any(|(_, values)| literal(values));
        if !literals && extents.all(|extent| extent == Extent::Rows) { Ok(self.clone()) } else { self.baked() }
    }

    /// The same columns over the rows of `root`.
    pub(crate) fn moved(&self, root: Node) -> Self {
        Self { root: Arc::new(root), ..self.clone() }
    }

    /// The same columns over the rows of `root`, which are some of theirs.
    pub(crate) fn of_fewer_rows(&self, mut root: Node) -> Self {
        for (_, domain) in &mut root.columns {
            *domain = domain.clone().with_fewer_missing();
        }
        let mut frame = self.moved(root);
        for (_, values) in &mut frame.columns {
            values.domain = values.domain.clone().with_fewer_missing();
        }
        frame
    }

    pub(crate) fn with(&self, root: Arc<Node>, columns: Vec<(PlSmallStr, Expression)>) -> Result<Self> {
        let mut names = HashSet::with_capacity(columns.len());
        for (name, _) in &columns {
            check_name(name)?;
            if !names.insert(name) {
                return Err(FrameError::NotImplemented(format!("two columns can't both have the name `{name}` yet")));
            }
        }
        Ok(Self { root, index: self.index.clone(), columns })
    }
}

/// What a column can be set to.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a few at a time, for as long as a plan is made")]
pub enum ColumnOrValue {
    /// A column over the same rows, or a lazy scalar of them.
    Column(Column),
    /// A value, the same in every row.
    Literal(Literal),
}

impl ColumnOrValue {
    pub(crate) fn operand(&self) -> Operand {
        match self {
            Self::Column(column) => column.values.operand(),
            Self::Literal(literal) => Operand::Literal(literal.clone()),
        }
    }

    /// Whether it is an `int` of Python in pandas.
    pub(crate) fn is_python_integer(&self) -> bool {
        match self {
            Self::Column(column) => column.counted,
            Self::Literal(literal) => matches!(literal, Literal::Int(_)),
        }
    }
}

/// A node with the rows of `input` and those columns.
pub(crate) fn project(input: &Arc<Node>, columns: Vec<(PlSmallStr, Expression)>) -> Arc<Node> {
    let domains = columns.iter().map(|(name, values)| (name.clone(), values.domain.clone())).collect();
    let words: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let digests: Vec<u128> =
        std::iter::once(input.digest).chain(columns.iter().map(|(_, values)| values.digest)).collect();
    let local = columns.iter().all(|(_, values)| values.is_local());
    let local = local && columns.iter().any(|(_, values)| values.extent == Extent::Rows);
    let operator = Operator::Project { input: input.clone(), columns: columns.clone() };
    let node = Node::new(operator, domains, &words, digests);
    Arc::new(node.partitioned_like(input, local).with_rows(input.partition_rows.clone()))
}

/// The node over which expressions of both `a` and `b` can be computed: they must be of the same rows.
pub(crate) fn unify(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    if a.digest == b.digest {
        return Ok(a.clone());
    }
    if a.rows_of().digest != b.rows_of().digest {
        return Err(FrameError::NotImplemented(
            "columns of different rows can't be combined yet, since their labels would have to be aligned; \
             take both columns from the same frame, or merge the two"
                .into(),
        ));
    }
    let mut found = a.clone();
    let mut layers = vec![];
    let mut at = b;
    loop {
        at = match &at.operator {
            Operator::Attach { input, from, names } => {
                layers.push((from, names));
                input
            }
            Operator::Divided { input, cut: false, .. } => input,
            _ => break,
        };
    }
    for (from, names) in layers.into_iter().rev() {
        if names.iter().any(|(_, name)| found.domain(name).is_none()) {
            found = attach(&found, from, names);
        }
    }
    Ok(found)
}

/// The rows of `input` with the columns `names` of `from`.
pub(crate) fn attach(input: &Arc<Node>, from: &Arc<Node>, names: &[(PlSmallStr, PlSmallStr)]) -> Arc<Node> {
    let mut columns = input.columns.clone();
    for (there, here) in names {
        columns.push((here.clone(), from.domain(there).expect("the node was made with these columns").clone()));
    }
    let words: Vec<&str> = names.iter().map(|(_, here)| here.as_str()).collect();
    let operator = Operator::Attach { input: input.clone(), from: from.clone(), names: names.to_vec() };
    let node = Node::new(operator, columns, &words, [input.digest, from.digest]);
    let local = from.partitionwise && from.partitions == input.partitions;
    Arc::new(node.partitioned_like(input, local).with_rows(input.partition_rows.clone()))
}
