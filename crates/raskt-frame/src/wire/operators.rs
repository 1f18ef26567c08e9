//! Where the rows of nodes come from, as it is written.

use super::plan::{Named, Writer, WrittenExpression};
use super::read::Reader;
use crate::literal::Literal;
use crate::plan::{External, JoinHow, JoinPlan, Keep, Node, Operator};
use crate::source::{CsvPlan, ParquetPlan};
use polars::prelude::{PlSmallStr, SortMultipleOptions, UniqueKeepStrategy};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Operators with the numbers of nodes and trees that were written before.
// New ones come last, and none goes.
#[derive(Serialize, Deserialize)]
pub(super) enum WrittenOperator {
    Csv(CsvPlan),
    Parquet(ParquetPlan),
    /// Tables that tasks give: by what they are known.
    External(u128),
    Project {
        input: u32,
        columns: Vec<Named<WrittenExpression>>,
    },
    RowNumber {
        input: u32,
        name: String,
    },
    Attach {
        input: u32,
        from: u32,
        names: Vec<(String, String)>,
    },
    Filter {
        input: u32,
        predicate: u32,
    },
    Sort {
        input: u32,
        by: Vec<u32>,
        descending: Vec<bool>,
        missing_last: Vec<bool>,
    },
    Slice {
        input: u32,
        offset: i64,
        length: usize,
    },
    Top {
        input: u32,
        count: usize,
        by: Vec<u32>,
        largest: bool,
    },
    Unique {
        input: u32,
        subset: Vec<u32>,
        keep: Keep,
    },
    Aggregate {
        input: u32,
        keys: Vec<Named<WrittenExpression>>,
        aggregations: Vec<Named<WrittenExpression>>,
        sort: bool,
        drop_missing: bool,
    },
    Join {
        left: u32,
        right: u32,
        keys: Vec<(String, String)>,
        how: JoinHow,
        match_missing: bool,
        indicator: Option<String>,
    },
    Concat(Vec<u32>),
    Cells {
        input: u32,
        labels: Vec<String>,
        columns: Vec<Named<Vec<WrittenExpression>>>,
    },
    Repartition(u32),
    Divided {
        input: u32,
        name: String,
        divisions: Option<Vec<Literal>>,
        frequency: Option<String>,
        sorted: bool,
        cut: bool,
    },
}

impl WrittenOperator {
    /// Whether the nodes that it is made of are written as well.
    pub fn is_written_with_inputs(node: &Node) -> bool {
        !matches!(node.operator, Operator::External(_))
    }

    /// What is written of the operator of `node`, whose inputs were written.
    pub fn of(node: &Node, writer: &mut Writer) -> Result<Self, String> {
        Ok(match &node.operator {
            Operator::Csv(plan) => {
                plan.opened.nameless().map_or(Ok(()), |file: &Path| Err(super::nameless(file)))?;
                Self::Csv(plan.clone())
            }
            Operator::Parquet(plan) => {
                plan.opened.nameless().map_or(Ok(()), |file: &Path| Err(super::nameless(file)))?;
                Self::Parquet(plan.clone())
            }
            Operator::Memory(_) => return Err("it holds tables in memory".into()),
            Operator::External(external) => Self::External(external.source.key()),
            Operator::Project { input, columns } => {
                Self::Project { input: writer.known(input), columns: writer.named(columns)? }
            }
            Operator::RowNumber { input, name } => {
                Self::RowNumber { input: writer.known(input), name: name.to_string() }
            }
            Operator::Attach { input, from, names } => {
                Self::Attach { input: writer.known(input), from: writer.known(from), names: pairs(names) }
            }
            Operator::Filter { input, predicate } => {
                Self::Filter { input: writer.known(input), predicate: writer.tree(predicate) }
            }
            Operator::Sort { input, by, options } => Self::Sort {
                input: writer.known(input),
                by: writer.all(by),
                descending: options.descending.clone(),
                missing_last: options.nulls_last.clone(),
            },
            Operator::Slice { input, offset, length } => {
                Self::Slice { input: writer.known(input), offset: *offset, length: *length }
            }
            Operator::Top { input, count, by, largest } => {
                Self::Top { input: writer.known(input), count: *count, by: writer.all(by), largest: *largest }
            }
            Operator::Unique { input, subset, keep } => {
                let keep = match keep {
                    UniqueKeepStrategy::First | UniqueKeepStrategy::Any => Keep::First,
                    UniqueKeepStrategy::Last => Keep::Last,
                    UniqueKeepStrategy::None => Keep::None,
                };
                Self::Unique { input: writer.known(input), subset: writer.all(subset), keep }
            }
            Operator::Aggregate { input, keys, aggregations, sort, drop_missing } => Self::Aggregate {
                input: writer.known(input),
                keys: writer.named(keys)?,
                aggregations: writer.named(aggregations)?,
                sort: *sort,
                drop_missing: *drop_missing,
            },
            Operator::Join(plan) => Self::Join {
                left: writer.known(&plan.left),
                right: writer.known(&plan.right),
                keys: pairs(&plan.keys),
                how: plan.how,
                match_missing: plan.match_missing,
                indicator: plan.indicator.as_ref().map(PlSmallStr::to_string),
            },
            Operator::Concat { inputs } => Self::Concat(inputs.iter().map(|input| writer.known(input)).collect()),
            Operator::Cells { input, labels, columns } => {
                let mut cells =
                    |values: &Vec<_>| values.iter().map(|cell| writer.expression(cell)).collect::<Result<_, String>>();
                let columns = columns.iter().map(|(name, values)| Ok((name.to_string(), cells(values)?)));
                let columns = columns.collect::<Result<_, String>>()?;
                let labels = labels.iter().map(PlSmallStr::to_string).collect();
                Self::Cells { input: writer.known(input), labels, columns }
            }
            Operator::Repartition { input } => Self::Repartition(writer.known(input)),
            Operator::Divided { input, name, divisions, frequency, sorted, cut } => Self::Divided {
                input: writer.known(input),
                name: name.to_string(),
                divisions: divisions.clone(),
                frequency: frequency.as_ref().map(PlSmallStr::to_string),
                sorted: *sorted,
                cut: *cut,
            },
        })
    }

    /// The trees that are computed of its first input: those of expressions first, in order.
    pub fn trees(&self) -> Vec<u32> {
        let of = |columns: &[Named<WrittenExpression>]| columns.iter().map(|(_, values)| values.tree).collect();
        match self {
            Self::Project { columns, .. } => of(columns),
            Self::Aggregate { keys, aggregations, .. } => [of(keys), of(aggregations)].concat(),
            Self::Cells { columns, .. } => {
                columns.iter().flat_map(|(_, cells)| cells.iter().map(|cell| cell.tree)).collect()
            }
            Self::Filter { predicate, .. } => vec![*predicate],
            Self::Sort { by, .. } | Self::Top { by, .. } => by.clone(),
            Self::Unique { subset, .. } => subset.clone(),
            _ => vec![],
        }
    }

    /// The operator over the nodes that were read before.
    pub fn read(self, reader: &mut Reader) -> Result<Operator, String> {
        Ok(match self {
            Self::Csv(plan) => Operator::Csv(plan),
            Self::Parquet(plan) => Operator::Parquet(plan),
            Self::External(key) => Operator::External(External::known_as(key)),
            Self::Project { input, columns } => {
                Operator::Project { input: reader.node(input)?, columns: reader.named(columns)? }
            }
            Self::RowNumber { input, name } => Operator::RowNumber { input: reader.node(input)?, name: name.into() },
            Self::Attach { input, from, names } => {
                Operator::Attach { input: reader.node(input)?, from: reader.node(from)?, names: small_pairs(names) }
            }
            Self::Filter { input, predicate } => {
                Operator::Filter { input: reader.node(input)?, predicate: reader.tree(predicate)? }
            }
            Self::Sort { input, by, descending, missing_last } => {
                let options = SortMultipleOptions {
                    descending,
                    nulls_last: missing_last,
                    multithreaded: true,
                    maintain_order: true,
                    limit: None,
                };
                Operator::Sort { input: reader.node(input)?, by: reader.all(&by)?, options }
            }
            Self::Slice { input, offset, length } => Operator::Slice { input: reader.node(input)?, offset, length },
            Self::Top { input, count, by, largest } => {
                Operator::Top { input: reader.node(input)?, count, by: reader.all(&by)?, largest }
            }
            Self::Unique { input, subset, keep } => {
                let keep = match keep {
                    Keep::First => UniqueKeepStrategy::First,
                    Keep::Last => UniqueKeepStrategy::Last,
                    Keep::None => UniqueKeepStrategy::None,
                };
                Operator::Unique { input: reader.node(input)?, subset: reader.all(&subset)?, keep }
            }
            Self::Aggregate { input, keys, aggregations, sort, drop_missing } => Operator::Aggregate {
                input: reader.node(input)?,
                keys: reader.named(keys)?,
                aggregations: reader.named(aggregations)?,
                sort,
                drop_missing,
            },
            Self::Join { left, right, keys, how, match_missing, indicator } => Operator::Join(JoinPlan {
                left: reader.node(left)?,
                right: reader.node(right)?,
                keys: small_pairs(keys),
                how,
                match_missing,
                indicator: indicator.map(PlSmallStr::from_string),
            }),
            Self::Concat(inputs) => Operator::Concat {
                inputs: inputs.into_iter().map(|input| reader.node(input)).collect::<Result<_, _>>()?,
            },
            Self::Cells { input, labels, columns } => {
                let input = reader.node(input)?;
                let mut cells = |values: Vec<_>| {
                    values.into_iter().map(|cell| reader.expression(cell)).collect::<Result<_, String>>()
                };
                let columns = columns.into_iter().map(|(name, values)| Ok((name.into(), cells(values)?)));
                let columns = columns.collect::<Result<_, String>>()?;
                Operator::Cells { input, labels: labels.into_iter().map(Into::into).collect(), columns }
            }
            Self::Repartition(input) => Operator::Repartition { input: reader.node(input)? },
            Self::Divided { input, name, divisions, frequency, sorted, cut } => Operator::Divided {
                input: reader.node(input)?,
                name: name.into(),
                divisions,
                frequency: frequency.map(PlSmallStr::from_string),
                sorted,
                cut,
            },
        })
    }
}

fn pairs(names: &[(PlSmallStr, PlSmallStr)]) -> Vec<(String, String)> {
    names.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

fn small_pairs(names: Vec<(String, String)>) -> Vec<(PlSmallStr, PlSmallStr)> {
    names.into_iter().map(|(a, b)| (a.into(), b.into())).collect()
}
