//! What frames and columns look like, as it is written: names, types, labels and partitions, without what they are computed from.
//!
//! Whoever has it knows how tables are shown, and has a plan over tasks that give them.

use super::plan::{Named, Writer, WrittenDomain, WrittenPlan};
use super::read::Reader;
use crate::domain::Domain;
use crate::error::{FrameError, Result};
use crate::expression::Expression;
use crate::literal::Literal;
use crate::logical::Logical;
use crate::plan::{Column, External, Frame, Index, IndexLevel};
use crate::stage::StageOutput;
use crate::table::{check_name, index_column_name};
use polars::prelude::PlSmallStr;
use raskt_graph::Lower;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Names, each with what values can be, as they are written.
#[derive(Serialize, Deserialize)]
pub struct DomainsForm {
    /// The types alone.
    types: WrittenPlan,
    columns: Vec<Named<WrittenDomain>>,
}

/// What a frame looks like, as it is written.
#[derive(Serialize, Deserialize)]
pub struct FrameForm {
    /// The columns of its table: those of its labels first.
    columns: DomainsForm,
    labels: LabelsForm,
    partitions: usize,
    rows: Option<Arc<[usize]>>,
    divisions: Option<Vec<Literal>>,
    in_order: bool,
    frequency: Option<String>,
    /// Whether its rows lie in memory: then types are found by trying them, be they here or there.
    near: bool,
}

#[derive(Serialize, Deserialize)]
enum LabelsForm {
    /// Numbers, with a name.
    Rows(Option<String>),
    /// The names of levels.
    Levels(Vec<Option<String>>),
}

/// What a column looks like, as it is written.
#[derive(Serialize, Deserialize)]
pub struct ColumnForm {
    kind: Kind,
    name: Option<String>,
    counted: bool,
    /// The frame that it is the only column of; of labels, that has them and no column.
    frame: FrameForm,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Series,
    Labels,
    Scalar,
}

/// The error for what can't travel.
fn stays(reason: String) -> FrameError {
    FrameError::NotImplemented(format!("it can't run in another process: {reason}"))
}

/// The error for what came and is nothing.
fn bad(reason: impl Into<String>) -> FrameError {
    FrameError::Value(format!("what came as a dataframe is none: {}", reason.into()))
}

impl DomainsForm {
    /// What is written of `columns`.
    ///
    /// # Errors
    /// If one has a type that is known only here.
    pub fn of<'a>(columns: impl IntoIterator<Item = (&'a str, &'a Domain)>) -> Result<Self> {
        let mut writer = Writer::default();
        let mut found = vec![];
        for (name, domain) in columns {
            found.push((name.to_owned(), writer.domain(domain).map_err(stays)?));
        }
        Ok(Self { types: writer.finish(), columns: found })
    }

    /// Puts what `own` gives in the place of the bytes that types of pandas are stored by: equal types have equal ones in one
    /// process alone.
    pub fn store_as<E>(
        &mut self,
        own: impl Fn(&[u8]) -> std::result::Result<Arc<[u8]>, E>,
    ) -> std::result::Result<(), E> {
        for it in self.types.logical.iter_mut().filter_map(Logical::pandas_type_mut) {
            it.codec = own(&it.codec)?;
        }
        Ok(())
    }

    /// What was written.
    ///
    /// # Errors
    /// If it is nothing that [`Self::of`] writes.
    pub fn read(&self) -> Result<Vec<(String, Domain)>> {
        let mut reader = Reader::of_types(&self.types).map_err(bad)?;
        let read = |(name, domain): &Named<WrittenDomain>| Ok((name.clone(), reader.domain(domain).map_err(bad)?));
        self.columns.iter().map(read).collect()
    }
}

impl FrameForm {
    /// What is written of `frame`.
    ///
    /// # Errors
    /// If a column has a type that is known only here.
    pub fn of(frame: &Frame) -> Result<Self> {
        let output = StageOutput::of_frame(frame);
        let columns = output.columns().iter().map(|(name, values)| (name.as_str(), &values.domain));
        let text = |name: &Option<PlSmallStr>| name.as_ref().map(|name| name.to_string());
        let labels = match &frame.index {
            Index::Rows(name) => LabelsForm::Rows(text(name)),
            Index::Levels(levels) => LabelsForm::Levels(levels.iter().map(|level| text(&level.name)).collect()),
        };
        let is_labelled = matches!(&frame.index, Index::Levels(levels) if levels.len() == 1);
        Ok(Self {
            columns: DomainsForm::of(columns)?,
            labels,
            partitions: frame.root.partitions,
            rows: frame.root.partition_rows.clone(),
            divisions: frame.divisions().filter(|_| is_labelled),
            in_order: is_labelled && frame.in_order(),
            frequency: frame.frequency().map(|frequency| frequency.to_string()),
            near: frame.root.is_in_memory(),
        })
    }

    /// How many partitions it has.
    pub fn partitions(&self) -> usize {
        self.partitions
    }

    /// What its columns can hold.
    pub fn domains_mut(&mut self) -> &mut DomainsForm {
        &mut self.columns
    }

    /// The frame whose partitions are the tables that `source` gives.
    ///
    /// # Errors
    /// If what came is nothing that [`Self::of`] writes.
    pub fn over(&self, source: Arc<dyn Lower>) -> Result<Frame> {
        let columns = self.columns.read()?;
        let levels: &[Option<String>] = match &self.labels {
            LabelsForm::Rows(_) => &[],
            LabelsForm::Levels(names) if (1..=columns.len()).contains(&names.len()) => names,
            LabelsForm::Levels(_) => return Err(bad("levels of labels without values")),
        };
        let (of_labels, own) = columns.split_at(levels.len());
        if of_labels.iter().enumerate().any(|(at, (name, _))| index_column_name(at) != name.as_str()) {
            return Err(bad("labels under another name"));
        }
        let is_rows = matches!(self.labels, LabelsForm::Rows(_));
        let only_rows = is_rows && matches!(own, [(name, _)] if index_column_name(0) == name.as_str());
        if !only_rows {
            own.iter().try_for_each(|(name, _)| check_name(name))?;
        }
        self.check_rows()?;
        let levels: Vec<(Option<&str>, Domain)> =
            levels.iter().zip(of_labels).map(|(name, (_, domain))| (name.as_deref(), domain.clone())).collect();
        let own: Vec<(&str, Domain)> = own.iter().map(|(name, domain)| (name.as_str(), domain.clone())).collect();
        let rows = self.rows.as_ref().map(|rows| rows.to_vec());
        let (name, near) = ("tables".into(), self.near);
        let external = External { source, name, python: false, kept: false, near, inputs: vec![] };
        let mut frame = Frame::from_external(external, self.partitions, &levels, &own, rows);
        if frame.root.scope.len() != frame.root.columns.len() {
            return Err(bad("two columns of one name"));
        }
        if let LabelsForm::Rows(name) = &self.labels {
            frame.index = Index::Rows(name.as_deref().map(PlSmallStr::from_str));
            if only_rows {
                // Rows without columns are computed as their numbers, so that somebody counts them.
                frame.columns.clear();
            }
        }
        self.lying(frame)
    }

    /// The frame that says how tables are shown, and can't be computed.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn hollow(&self) -> Result<Frame> {
        self.over(External::known_as(HOLLOW).source)
    }

    fn check_rows(&self) -> Result<()> {
        if !(1..=u32::MAX as usize).contains(&self.partitions) {
            return Err(bad("no partitions, or more than can be told apart"));
        }
        let Some(rows) = &self.rows else { return Ok(()) };
        let sum = rows.iter().try_fold(0_usize, |sum, rows| sum.checked_add(*rows));
        let fits = rows.len() == self.partitions && sum.is_some_and(|sum| i64::try_from(sum).is_ok());
        if fits { Ok(()) } else { Err(bad("numbers of rows of other partitions than there are")) }
    }

    /// The same frame with what is known of where its labels lie.
    fn lying(&self, mut frame: Frame) -> Result<Frame> {
        if self.divisions.is_some() || self.in_order {
            frame = frame.divided(self.divisions.clone(), self.in_order)?;
        }
        match &self.frequency {
            Some(frequency) => frame.stepped(frequency),
            None => Ok(frame),
        }
    }
}

/// By what plans are known that only show tables.
const HOLLOW: u128 = 0x7261_736b_745f_686f << 64;

/// The column of a frame of one.
const ONLY: &str = "values";

impl Column {
    /// The tables that [`ColumnForm::over`] takes, a partition each; of a scalar there is one.
    pub fn tables(&self) -> StageOutput {
        match Kind::of(self) {
            Kind::Scalar => StageOutput::of_column(self),
            Kind::Labels => StageOutput::of_frame(&self.labels_alone()),
            Kind::Series => StageOutput::of_frame(&self.to_frame(ONLY)),
        }
    }

    /// Of a column of labels, the frame that has them and no columns.
    fn labels_alone(&self) -> Frame {
        let frame = Frame { columns: vec![], ..self.to_frame("") };
        if let Index::Rows(_) = self.index
            && self.is_of_rows()
        {
            return Frame { index: Index::Rows(self.name.clone()), ..frame };
        }
        let level = IndexLevel { name: self.name.clone(), values: self.values.clone() };
        Frame { index: Index::Levels(vec![level]), ..frame }
    }

    /// Whether they are the labels of their own rows: others have divisions and steps of their own.
    fn is_of_rows(&self) -> bool {
        self.to_frame("").labels().is_ok_and(|labels| labels.values.digest == self.values.digest)
    }
}

impl Kind {
    fn of(column: &Column) -> Self {
        match (column.is_scalar(), column.labels) {
            (true, _) => Self::Scalar,
            (_, true) => Self::Labels,
            _ => Self::Series,
        }
    }
}

impl ColumnForm {
    /// What is written of `column`.
    ///
    /// # Errors
    /// If it has a type that is known only here.
    pub fn of(column: &Column) -> Result<Self> {
        let kind = Kind::of(column);
        let frame = match kind {
            Kind::Series => FrameForm::of(&column.to_frame(ONLY))?,
            Kind::Labels => Self::of_labels(column)?,
            Kind::Scalar => FrameForm {
                columns: DomainsForm::of([(ONLY, &column.values.domain)])?,
                labels: LabelsForm::Rows(None),
                partitions: 1,
                rows: None,
                divisions: None,
                in_order: false,
                frequency: None,
                near: false,
            },
        };
        Ok(Self { kind, name: column.name.as_ref().map(|name| name.to_string()), counted: column.counted, frame })
    }

    fn of_labels(column: &Column) -> Result<FrameForm> {
        let form = FrameForm::of(&column.labels_alone())?;
        if column.is_of_rows() {
            return Ok(form);
        }
        let frequency = column.to_frame("").frequency().map(|frequency| frequency.to_string());
        Ok(FrameForm { divisions: None, in_order: false, frequency, ..form })
    }

    /// How many partitions it has.
    pub fn partitions(&self) -> usize {
        self.frame.partitions
    }

    /// What it can hold.
    pub fn domains_mut(&mut self) -> &mut DomainsForm {
        &mut self.frame.columns
    }

    /// The column whose partitions are the tables that `source` gives: those of [`Column::tables`].
    ///
    /// # Errors
    /// If what came is nothing that [`Self::of`] writes.
    pub fn over(&self, source: Arc<dyn Lower>) -> Result<Column> {
        let frame = self.frame.over(source)?;
        let name = self.name.as_deref().map(PlSmallStr::from_str);
        let column = match self.kind {
            Kind::Labels => frame.labels()?,
            Kind::Series | Kind::Scalar => frame.column_at(0)?,
        };
        let column = Column { name, counted: self.counted, ..column };
        if self.kind != Kind::Scalar {
            return Ok(column);
        }
        let domain = column.values.domain.clone();
        let only = column.reduce("only", crate::expression::ReduceOptions::default())?;
        let values = Expression { domain, ..only.values };
        Ok(Column { values, counted: self.counted, ..only })
    }

    /// The column that says how tables are shown, and can't be computed.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn hollow(&self) -> Result<Column> {
        self.over(External::known_as(HOLLOW).source)
    }
}
