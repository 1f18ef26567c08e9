use crate::error::{FrameError, Result};
use polars::prelude::{DataType, Expr, Field, lit};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a column is to its user, beside the engine's type that its values are stored in.
///
/// Nothing but a plain column takes part in the engine's operations: what the engine computes of the storage isn't what
/// pandas computes of the values. The others can be taken, filtered, put one under another, tested for missing values
/// and spilled; where storage is [ordered](crate::Domain::is_ordered_by_storage) as the values are, also sorted,
/// grouped and joined by. All else is pandas' work, which gets them back as what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Logical {
    /// What pandas makes of the engine's type by itself: NumPy's numbers, `str`, times.
    #[default]
    Plain,
    /// pandas' nullable types: `Int64`, `boolean`, `string`.
    Nullable(PandasType),
    /// Arrow's types in pandas: `int32[pyarrow]`.
    Arrow(PandasType),
    /// Categories, stored as codes where they are known and as values where they aren't.
    Category(PandasType),
    /// Everything else: Python objects, periods, intervals, complex numbers, times in seconds.
    Opaque(PandasType),
}

/// A type of pandas, in the words of the face that converts its values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PandasType {
    /// Its name in pandas.
    pub name: Arc<str>,
    /// How values are stored and restored. Equal types have equal bytes in one process.
    pub codec: Arc<[u8]>,
}

impl Logical {
    /// The type of pandas, if it isn't the one that goes with the engine's type.
    pub fn pandas_type(&self) -> Option<&PandasType> {
        match self {
            Self::Plain => None,
            Self::Nullable(it) | Self::Arrow(it) | Self::Category(it) | Self::Opaque(it) => Some(it),
        }
    }

    /// The same type stored in another way.
    pub(crate) fn pandas_type_mut(&mut self) -> Option<&mut PandasType> {
        match self {
            Self::Plain => None,
            Self::Nullable(it) | Self::Arrow(it) | Self::Category(it) | Self::Opaque(it) => Some(it),
        }
    }

    /// Whether it is what pandas makes of the engine's type by itself.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// The field of stored objects that says which of them are missing: `None`, `NaN` and `NaT` are stored like all others.
pub const MISSING_FIELD: &str = "missing";

/// Whether values of `dtype` are stored with a field that says whether they are missing.
pub(crate) fn has_missing_field(dtype: &DataType) -> bool {
    matches!(dtype, DataType::Struct(fields) if fields.iter().any(|field: &Field| field.name == MISSING_FIELD))
}

/// Which values of such a column are missing.
pub(crate) fn is_missing(values: Expr) -> Expr {
    values.struct_().field_by_name(MISSING_FIELD).fill_null(lit(true))
}

/// The error for two columns of which one can't take the other's values: pandas finds the type that holds both.
pub(crate) fn differ(what: &str, a: &str, b: &str) -> FrameError {
    FrameError::NotNative(format!("{what} is of {a} on one side and of {b} on the other"))
}

/// An error unless the two are stored alike.
pub(crate) fn same(what: &str, a: &crate::Domain, b: &crate::Domain) -> Result<()> {
    let alike = a.logical == b.logical && (a.logical.is_plain() || a.dtype == b.dtype);
    if alike { Ok(()) } else { Err(differ(what, &a.pandas_dtype(), &b.pandas_dtype())) }
}
