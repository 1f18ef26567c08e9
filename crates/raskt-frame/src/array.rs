//! Numeric columns as blocks of an array, and blocks as tables.

use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Operand, digest_of, engine_dtype};
use crate::plan::Frame;
use crate::stage::{StageOutput, lower_partitions};
use crate::table::{FrameTable, shown_label};
use crate::tree::{self, ColumnDtype};
use crate::wire::FrameKernel;
use polars::prelude::*;
use raskt_graph::{GraphBuilder, GraphError, Grid, Layer, LayerId, Lower, MapInput, Op, OpFlags, OpKind, Shape};
use raskt_value::{Call, Chunk, DType, ErrorKind, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The columns of a frame as a matrix, a block for each partition: a source of an array.
pub struct FrameToArray {
    output: StageOutput,
    dtype: DType,
    columns: usize,
    flat: bool,
}

impl FrameToArray {
    /// The columns of `frame`, all numeric, as a matrix of their common type; as a vector if there is one and `flat`.
    /// Missing values are NaN.
    pub fn new(frame: &Frame, flat: bool) -> Result<Self> {
        let mut frame = frame.reset_index(true, None)?;
        let dtype = common_dtype(&frame)?;
        let wanted = engine_dtype(dtype);
        let scope = frame.root.scope.clone();
        for (_, values) in &mut frame.columns {
            *values = values.settled().cast(&scope, &wanted)?;
            if values.domain.missing && values.domain.dtype.is_float() {
                let filled = Operand::Expression(values.clone());
                let nan = tree::literal(f64::NAN).cast(ColumnDtype::Number(dtype));
                let expr = values.expr.clone().fill_null(nan);
                *values = crate::expression::Expression::computed(&scope, &[&filled], expr)?;
            }
        }
        let columns = frame.columns.len();
        Ok(Self { output: StageOutput::of_frame(&frame), dtype, columns, flat: flat && columns == 1 })
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// How many columns it has; `None` if it is a vector.
    pub fn columns(&self) -> Option<usize> {
        (!self.flat).then_some(self.columns)
    }

    /// How many blocks it has, along its rows.
    pub fn blocks(&self) -> usize {
        self.output.root().partitions
    }

    /// The rows of each block, where that is known without computing.
    pub fn lengths(&self) -> Option<Vec<usize>> {
        self.output.root().partition_rows.as_ref().map(|rows| rows.to_vec())
    }
}

impl Lower for FrameToArray {
    fn key(&self) -> u128 {
        digest_of(&["to_array", self.dtype.name(), if self.flat { "flat" } else { "" }], &[self.output.digest()])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let input = lower_partitions(graph, &self.output)?;
        let kernel = FrameKernel::from(ToBlock { dtype: self.dtype, columns: self.columns, flat: self.flat });
        let flags = OpFlags::default();
        let op = Op {
            kind: OpKind::Frame,
            name: "to_array".into(),
            digest: self.key(),
            flags,
            body: Arc::new(NativeOp(Arc::new(kernel))),
        };
        let op = graph.op(op);
        // A matrix has a grid of two axes, of which the second is one block wide.
        let rows = Grid::new([self.blocks() as u32]);
        let (grid, axes) = match self.flat {
            true => (rows.clone(), [Some(0)]),
            false => (Grid::new([self.blocks() as u32, 1]), [Some(0)]),
        };
        let inputs = vec![MapInput { layer: input, grid: rows, axes: axes.into_iter().collect() }];
        graph.layer(Layer::new("to_array", op, Shape::Map { grid, inputs }))
    }
}

fn common_dtype(frame: &Frame) -> Result<DType> {
    let mut found: Option<DType> = None;
    for (name, values) in &frame.columns {
        let domain = &values.domain;
        let own = match domain.class() {
            DomainClass::Decimal => Some(DType::F64),
            _ => DType::from_name(&domain.pandas_dtype()),
        };
        let own = own.ok_or_else(|| {
            let dtype = domain.pandas_dtype();
            let name = shown_label(name);
            FrameError::NotNative(format!(
                "column `{name}` is of {dtype}, and lazy arrays hold numbers: convert it by astype first"
            ))
        })?;
        found = Some(found.map_or(own, |found| raskt_value::promote(found, own)));
    }
    found.ok_or_else(|| FrameError::Value("a dataframe without columns can't be an array".into()))
}

/// Makes a block of each table.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ToBlock {
    #[serde(with = "tree::by_name")]
    dtype: DType,
    columns: usize,
    flat: bool,
}

impl Kernel for ToBlock {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let table = &FrameTable::of(&inputs[0])?.frame;
        let shape = if self.flat { vec![table.height()] } else { vec![table.height(), self.columns] };
        if self.dtype == DType::Bool {
            return block(table, &shape, |column, put| {
                column.bool()?.iter().enumerate().for_each(|(row, value)| put(row, value.unwrap_or(false)));
                Ok(())
            });
        }
        macro_rules! numbers {
            ($($dtype:ident => $read:ident),*) => {
                match self.dtype {
                    $(DType::$dtype => block(table, &shape, |column, put| {
                        column.$read()?.iter().enumerate().for_each(|(row, value)| put(row, value.unwrap_or_default()));
                        Ok(())
                    }),)*
                    other => Err(TaskError::new(ErrorKind::Type, format!("columns can't be an array of {other}"))),
                }
            };
        }
        numbers!(I8 => i8, I16 => i16, I32 => i32, I64 => i64, U8 => u8, U16 => u16, U32 => u32, U64 => u64,
                 F32 => f32, F64 => f64)
    }

    fn name(&self) -> String {
        "to_array".into()
    }
}

/// The columns of `table` row after row; `read` gives the values of one.
fn block<T: raskt_value::Element + Default>(
    table: &DataFrame,
    shape: &[usize],
    read: impl Fn(&Series, &mut dyn FnMut(usize, T)) -> PolarsResult<()>,
) -> Result<Value, TaskError> {
    let (rows, columns) = (table.height(), table.width());
    let mut elements = vec![T::default(); rows * columns];
    for (at, column) in table.columns().iter().enumerate() {
        let series = column.as_materialized_series();
        read(series, &mut |row, value| elements[row * columns + at] = value).map_err(FrameError::from)?;
    }
    let chunk =
        Chunk::from_vec(elements, shape).map_err(|error| TaskError::new(ErrorKind::Value, error.to_string()))?;
    Ok(chunk.into())
}

/// The blocks of an array as tables, a partition each: a source of a dataframe.
pub struct ArrayToFrame {
    /// What makes the blocks, which are cut along their rows only.
    pub array: Arc<dyn Lower>,
    /// How many blocks there are.
    pub blocks: usize,
    /// The names of the columns.
    pub columns: Vec<PlSmallStr>,
}

impl Lower for ArrayToFrame {
    fn key(&self) -> u128 {
        let names: Vec<&str> = self.columns.iter().map(PlSmallStr::as_str).collect();
        digest_of(&[&["from_array"], names.as_slice()].concat(), &[self.array.key()])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let blocks = graph.lower(&*self.array)?;
        let op = Op {
            kind: OpKind::Frame,
            name: "from_array".into(),
            digest: self.key(),
            flags: OpFlags::default(),
            body: Arc::new(NativeOp(Arc::new(FrameKernel::from(ToTable { columns: self.columns.clone() })))),
        };
        let op = graph.op(op);
        let grid = Grid::new([self.blocks as u32]);
        let inputs = vec![MapInput::same(blocks, grid.clone())];
        graph.layer(Layer::new("from_array", op, Shape::Map { grid, inputs }))
    }
}

/// Makes a table of each block.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ToTable {
    #[serde(with = "crate::wire::words")]
    columns: Vec<PlSmallStr>,
}

impl Kernel for ToTable {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let block = inputs[0].as_chunk().ok_or_else(|| {
            let message = format!("a block of an array was due, and a {} came", inputs[0].type_name());
            TaskError::new(ErrorKind::Type, message)
        })?;
        Ok(array_to_table(block, &self.columns)?.into())
    }

    fn name(&self) -> String {
        "from_array".into()
    }
}

/// The rows of a block (of one dimension or two) as a table with columns `names`.
pub fn array_to_table(chunk: &Chunk, names: &[PlSmallStr]) -> Result<FrameTable, TaskError> {
    let chunk = chunk.to_contiguous();
    let (rows, columns) = match chunk.shape() {
        [rows] => (*rows, 1),
        [rows, columns] => (*rows, *columns),
        shape => {
            let message = format!("an array of {} dimensions can't be a dataframe", shape.len());
            return Err(TaskError::new(ErrorKind::Value, message));
        }
    };
    if columns != names.len() {
        let message = format!("{} names were given for {columns} columns", names.len());
        return Err(TaskError::new(ErrorKind::Value, message));
    }
    let mut found: Vec<Column> = vec![];
    for (at, name) in names.iter().enumerate() {
        macro_rules! column {
            ($($dtype:ident: $type:ty),*) => {
                match chunk.dtype() {
                    $(DType::$dtype => {
                        let elements = chunk.as_slice::<$type>().expect("the block was made contiguous");
                        let values: Vec<$type> = (0..rows).map(|row| elements[row * columns + at]).collect();
                        Series::new(name.clone(), values)
                    })*
                    other => {
                        let message = format!("an array of {other} can't be a dataframe");
                        return Err(TaskError::new(ErrorKind::Type, message));
                    }
                }
            };
        }
        let series = column!(Bool: bool, I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
                             F32: f32, F64: f64);
        found.push(series.into());
    }
    Ok(FrameTable::from(DataFrame::new(rows, found).map_err(FrameError::from)?))
}

/// What the columns of a table made of blocks of `dtype` can be.
pub fn array_domain(dtype: DType) -> Domain {
    let dtype = engine_dtype(dtype);
    let nan = dtype.is_float();
    Domain::new(dtype, false, nan)
}
