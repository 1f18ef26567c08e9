//! Elementwise operations: names, broadcasting, data types.

use crate::expression::{Content, Expr, View};
use crate::kernel::{BinaryOp, Source, UnaryOp, binary_dtype, binary_signature, unary_dtype};
use crate::{Array, ArrayError, AxisChunks, Chunks, Extent, Extents, Result};
use raskt_value::{DType, Kind, Scalar, promote, promote_weak};
use smallvec::{SmallVec, smallvec};

/// An elementwise function, by NumPy's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ufunc(Function);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Unary(UnaryOp),
    Binary(BinaryOp),
}

/// What a function is applied to.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An array.
    Array(Array),
    /// A number of Python's own: it doesn't widen the data type of an array (NEP 50).
    Scalar(Scalar),
}

/// What an elementwise node computes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MapOp {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Select,
    Cast,
}

/// NumPy's other names.
const ALIASES: &[(&str, &str)] = &[
    ("abs", "absolute"),
    ("true_divide", "divide"),
    ("conj", "conjugate"),
    ("mod", "remainder"),
    ("pow", "power"),
    ("bitwise_not", "invert"),
    ("bitwise_invert", "invert"),
    ("degrees", "rad2deg"),
    ("radians", "deg2rad"),
    ("acos", "arccos"),
    ("acosh", "arccosh"),
    ("asin", "arcsin"),
    ("asinh", "arcsinh"),
    ("atan", "arctan"),
    ("atanh", "arctanh"),
    ("atan2", "arctan2"),
    ("bitwise_left_shift", "left_shift"),
    ("bitwise_right_shift", "right_shift"),
    ("fix", "trunc"),
];

impl Ufunc {
    /// The function that NumPy calls `name`.
    pub fn from_name(name: &str) -> Result<Self> {
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
        let unary = UnaryOp::from_name(name).map(Function::Unary);
        let found = unary.or_else(|| BinaryOp::from_name(name).map(Function::Binary));
        found.map(Self).ok_or_else(|| ArrayError::NotImplemented(format!("the function `{name}` has no native kernel")))
    }

    /// NumPy's name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Function::Unary(op) => op.name(),
            Function::Binary(op) => op.name(),
        }
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self.0 {
            Function::Unary(_) => 1,
            Function::Binary(_) => 2,
        }
    }
}

impl MapOp {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Unary(op) => op.name(),
            Self::Binary(op) => op.name(),
            Self::Select => "where",
            Self::Cast => "astype",
        }
    }

    pub(crate) fn write(&self, content: &mut Content) {
        content.text(self.name());
    }
}

impl From<Array> for Operand {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl From<&Array> for Operand {
    fn from(array: &Array) -> Self {
        Self::Array(array.clone())
    }
}

impl From<Scalar> for Operand {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl Array {
    /// Applies `ufunc` to each element; operands are broadcast, and data types promoted, as NumPy does it.
    pub fn map(ufunc: Ufunc, operands: &[Operand]) -> Result<Self> {
        if operands.len() != ufunc.arity() {
            let (name, arity, found) = (ufunc.name(), ufunc.arity(), operands.len());
            return Err(ArrayError::Value(format!("`{name}` takes {arity} operands, and got {found}")));
        }
        match ufunc.0 {
            Function::Unary(op) => {
                let operand = strong(&operands[0], None)?;
                let dtype = unary_dtype(op, operand.dtype())?;
                elementwise(MapOp::Unary(op), [operand].into_iter().collect(), dtype)
            }
            Function::Binary(BinaryOp::Power) if is_root(operands) => {
                Self::map(Ufunc(Function::Unary(UnaryOp::Sqrt)), &operands[..1])
            }
            Function::Binary(op) => {
                let (a, b) = strong_pair(&operands[0], &operands[1], |beside, scalar| beyond(op, beside, scalar))?;
                check_power(op, operands)?;
                let dtype = binary_dtype(op, a.dtype(), b.dtype())?;
                elementwise(MapOp::Binary(op), [a, b].into_iter().collect(), dtype)
            }
        }
    }

    /// `x` where `condition` is true, else `y`: `numpy.where`.
    pub fn select(condition: Operand, x: Operand, y: Operand) -> Result<Self> {
        let condition = strong(&condition, None)?.astype(DType::Bool);
        let (x, y) = strong_pair(&x, &y, |beside, scalar| Some(promote_weak(beside, scalar.kind())))?;
        let dtype = promote(x.dtype(), y.dtype());
        let (x, y) = (x.astype(dtype), y.astype(dtype));
        elementwise(MapOp::Select, [condition, x, y].into_iter().collect(), dtype)
    }

    /// The same numbers as another data type, by C's conversions.
    pub fn astype(&self, dtype: DType) -> Self {
        if self.dtype() == dtype {
            return self.clone();
        }
        if let Expr::Generated(source) = self.expr()
            && let crate::kernel::Generator::Full(value) = source.generator
            && value.dtype() == self.dtype()
        {
            let source = Source { dtype, ..source.clone() };
            return Expr::Generated(source).into_array(dtype, self.chunks().clone());
        }
        Expr::Map { op: MapOp::Cast, inputs: smallvec![self.clone()] }.into_array(dtype, self.chunks().clone())
    }

    /// Numbers below `low` become `low`, those above `high` become `high`.
    ///
    /// Of 0 and -0, which are equal, the array's stays between single numbers; arrays of bounds replace it, as NumPy's.
    pub fn clip(&self, low: Option<Operand>, high: Option<Operand>) -> Result<Self> {
        let is_number = |bound: &Option<Operand>| match bound {
            Some(Operand::Array(bound)) => bound.ndim() == 0,
            _ => true,
        };
        let keeps = is_number(&low) && is_number(&high);
        let mut clipped = self.clone();
        for (bound, ufunc) in [(low, BinaryOp::Maximum), (high, BinaryOp::Minimum)] {
            if let Some(bound) = bound {
                let operands = if keeps { [bound, clipped.into()] } else { [clipped.into(), bound] };
                clipped = Self::map(Ufunc(Function::Binary(ufunc)), &operands)?;
            }
        }
        Ok(clipped)
    }
}

/// The data type of an operation between these operands: `numpy.result_type`.
pub fn result_type(operands: &[Operand]) -> Result<DType> {
    let arrays =
        operands.iter().filter_map(|operand| if let Operand::Array(a) = operand { Some(a.dtype()) } else { None });
    let strong = arrays.reduce(promote);
    let weak = operands.iter().filter_map(|operand| if let Operand::Scalar(x) = operand { Some(*x) } else { None });
    match (strong, weak.max_by_key(|scalar| scalar.kind())) {
        (Some(strong), Some(weak)) => Ok(promote_weak(strong, weak.kind())),
        (Some(strong), None) => Ok(strong),
        (None, Some(weak)) => Ok(weak.dtype()),
        (None, None) => Err(ArrayError::Value("at least one array or dtype is required".into())),
    }
}

/// The shape of arrays of these shapes together.
pub fn broadcast_shapes(shapes: &[&[Extent]]) -> Result<Extents> {
    let refused = || ArrayError::Broadcast { shapes: shapes.iter().map(|shape| shape.to_vec()).collect() };
    let ndim = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    (0..ndim)
        .map(|axis| {
            let lengths = shapes.iter().filter_map(|shape| (axis + shape.len()).checked_sub(ndim).map(|at| shape[at]));
            let mut lengths = lengths.filter(|length| *length != Some(1));
            let first = lengths.next().unwrap_or(Some(1));
            // Two unknown lengths may be equal, which shows when they are computed.
            if lengths.all(|length| length == first) { Ok(first) } else { Err(refused()) }
        })
        .collect()
}

/// An elementwise node over `inputs`, brought to one shape and the same chunks.
fn elementwise(op: MapOp, inputs: SmallVec<[Array; 3]>, dtype: DType) -> Result<Array> {
    let (inputs, chunks) = aligned(inputs)?;
    Ok(Expr::Map { op, inputs }.into_array(dtype, chunks))
}

/// The arrays broadcast to one shape and cut alike.
pub(crate) fn aligned(inputs: SmallVec<[Array; 3]>) -> Result<(SmallVec<[Array; 3]>, Chunks)> {
    if inputs.iter().all(|input| input.chunks() == inputs[0].chunks()) {
        let chunks = inputs[0].chunks().clone();
        return Ok((inputs, chunks));
    }
    let chunks = common_chunks(&inputs)?;
    let inputs = inputs.into_iter().map(|input| input.broadcast_to_chunks(&chunks));
    Ok((inputs.collect::<Result<_>>()?, chunks))
}

pub(crate) fn common_chunks(inputs: &[Array]) -> Result<Chunks> {
    let shapes: SmallVec<[Extents; 3]> = inputs.iter().map(Array::shape).collect();
    let slices: SmallVec<[&[Extent]; 3]> = shapes.iter().map(|shape| shape.as_slice()).collect();
    let shape = broadcast_shapes(&slices)?;
    let axes = shape.iter().enumerate().map(|(axis, &length)| {
        let cuts = inputs.iter().filter_map(|input| {
            let at = (axis + input.ndim()).checked_sub(shape.len())?;
            Some(&input.chunks().axes()[at]).filter(|cut| cut.length() == length)
        });
        let mut common: Option<AxisChunks> = None;
        for cut in cuts {
            common = Some(match common {
                Some(common) => common.refine(cut)?,
                None => cut.clone(),
            });
        }
        Ok(common.expect("a broadcast length is the length of some operand"))
    });
    Ok(Chunks::new(axes.collect::<Result<Vec<_>>>()?))
}

impl Array {
    /// This array repeated along axes of length 1 and along new leading ones, so that its chunks are `chunks`.
    pub(crate) fn broadcast_to_chunks(&self, chunks: &Chunks) -> Result<Self> {
        if self.chunks() == chunks {
            return Ok(self.clone());
        }
        let new = chunks.ndim() - self.ndim();
        let own = self.chunks().axes().iter().zip(&chunks.axes()[new..]);
        let own = own.map(|(own, target)| if own.length() == target.length() { target.clone() } else { own.clone() });
        let recut = self.rechunk_to(Chunks::new(own))?;
        let axes = chunks.axes().iter().enumerate().map(|(axis, target)| {
            let from = axis.checked_sub(new)?;
            (recut.chunks().axes()[from].length() == target.length()).then_some(from)
        });
        let view = View::of_axes(self.ndim(), axes);
        Ok(recut.viewed(view, chunks.clone()))
    }
}

/// The operand as an array: a number of type `dtype`, or of its own.
fn strong(operand: &Operand, dtype: Option<DType>) -> Result<Array> {
    match operand {
        Operand::Array(array) => Ok(array.clone()),
        Operand::Scalar(scalar) => Array::full(Chunks::new([]), *scalar, dtype.unwrap_or(scalar.dtype())),
    }
}

/// Both operands as arrays; `dtype` says of which type a number is beside an array of another: of its own if `None`.
fn strong_pair(a: &Operand, b: &Operand, dtype: impl Fn(DType, Scalar) -> Option<DType>) -> Result<(Array, Array)> {
    let beside = |other: &Operand, operand: &Operand| match (other, operand) {
        (Operand::Array(array), Operand::Scalar(scalar)) => dtype(array.dtype(), *scalar),
        (Operand::Scalar(other), Operand::Scalar(scalar)) => Some(promote_weak(other.dtype(), scalar.kind())),
        (_, Operand::Array(_)) => None,
    };
    Ok((strong(a, beside(b, a))?, strong(b, beside(a, b))?))
}

/// The type of a number as an operand of `op` beside an array of `beside`.
///
/// Where `op` computes in floating point, the number is of that type at once, and isn't rounded to a narrower one on the
/// way. An integer that the type can't hold is one of its own type where `op` compares or asks whether it is zero; beside
/// booleans, which are `int64` then, NumPy refuses it.
fn beyond(op: BinaryOp, beside: DType, scalar: Scalar) -> Option<DType> {
    let dtype = promote_weak(beside, scalar.kind());
    let operands = binary_signature(op, beside, dtype).ok().map(|signature| signature.operands);
    if let Some(operands) = operands.filter(|operands| operands.is_inexact()) {
        return Some(operands);
    }
    let logical = matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::LogicalXor);
    if logical && matches!(scalar, Scalar::UInt(_)) {
        return Some(DType::I64); // NumPy takes it for one, and finds that it isn't.
    }
    let is_own = logical || (is_comparison(op) && beside != DType::Bool);
    if is_own && check_fits(scalar, dtype).is_err() { None } else { Some(dtype) }
}

/// An error if `scalar` is an integer that `dtype` can't hold.
pub(crate) fn check_fits(scalar: Scalar, dtype: DType) -> Result<()> {
    let value = match scalar {
        Scalar::Int(value) => i128::from(value),
        Scalar::UInt(value) => i128::from(value),
        _ => return Ok(()),
    };
    let bits = dtype.size() as u32 * 8;
    let range = match dtype.kind() {
        Kind::Signed => -(1_i128 << (bits - 1))..1_i128 << (bits - 1),
        Kind::Unsigned => 0..1_i128 << bits,
        _ => return Ok(()),
    };
    if range.contains(&value) {
        return Ok(());
    }
    Err(ArrayError::Overflow(format!("Python integer {value} out of bounds for {dtype}")))
}

/// NumPy refuses integers to negative powers, of which the result would be a fraction.
fn check_power(op: BinaryOp, operands: &[Operand]) -> Result<()> {
    let negative = matches!(operands[1], Operand::Scalar(Scalar::Int(power)) if power < 0);
    let integer = |operand: &Operand| match operand {
        Operand::Array(array) => array.dtype().kind() <= Kind::Signed,
        Operand::Scalar(scalar) => scalar.kind() <= Kind::Signed,
    };
    if op == BinaryOp::Power && negative && integer(&operands[0]) {
        return Err(ArrayError::Value("integers to negative integer powers are not allowed".into()));
    }
    Ok(())
}

/// Whether a power is a square root: NumPy takes that for real numbers to the power of one 0.5, of which the power of a
/// negative zero or of a negative infinity would be another.
fn is_root(operands: &[Operand]) -> bool {
    let [Operand::Array(base), Operand::Scalar(Scalar::Float(exponent))] = operands else { return false };
    base.dtype().kind() == Kind::Float && *exponent == 0.5
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
