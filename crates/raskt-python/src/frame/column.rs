use super::arguments::{column_or_value, columns, literals, reduce_options};
use super::dataframe::divisions_of;
use super::logical;
use super::{FrameExpr, OrRaise, literal};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use raskt_frame::{Column, DomainClass, Inclusive, parse_dtype_name};

/// The plan of a column with its row labels, of a lazy scalar, or of row labels themselves.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct ColumnExpr {
    pub column: Column,
    /// Whether its tasks are its partitions, and not one task for the whole.
    pub by_partition: bool,
}

impl From<Column> for ColumnExpr {
    fn from(column: Column) -> Self {
        Self { column, by_partition: false }
    }
}

#[pymethods]
impl ColumnExpr {
    /// The name, if it has one.
    #[getter]
    fn name(&self) -> Option<String> {
        self.column.name.as_ref().map(|name| name.to_string())
    }

    /// The name of pandas' type of the values.
    #[getter]
    fn dtype(&self) -> String {
        self.column.values.domain.pandas_dtype()
    }

    /// What restores its values in Python; None if they are what pandas makes of the engine's type.
    #[getter]
    fn codec<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        logical::codec(py, &self.column.values.domain)
    }

    /// Its categories, if it has any without a codec.
    #[getter]
    fn categories(&self) -> Option<Vec<String>> {
        logical::categories(&self.column.values.domain)
    }

    /// The same of each level of the row labels.
    #[getter]
    fn index_codecs<'py>(&self, py: Python<'py>) -> Vec<Option<Bound<'py, PyBytes>>> {
        logical::index_codecs(py, &self.column.index)
    }

    /// The names of pandas' types of the levels of the row labels.
    #[getter]
    fn index_dtypes(&self) -> Vec<String> {
        logical::index_dtypes(&self.column.index)
    }

    /// Whether its rows lie in memory, so that a few of them are there at once.
    #[getter]
    fn in_memory(&self) -> bool {
        self.column.root.is_in_memory()
    }

    /// Whether its integers, all of them, may come to be missing: they are floats in pandas then.
    #[getter]
    fn may_be_none(&self) -> bool {
        self.column.values.domain.all_or_none
    }

    /// Whether its integers are floats in pandas if one of them is missing, which only computing tells.
    #[getter]
    fn may_be_rounded(&self) -> bool {
        self.column.values.domain.is_rounded()
    }

    /// Whether pandas has another type of its values if one of them is missing: floats for integers, objects for truth
    /// values.
    #[getter]
    fn may_be_retyped(&self) -> bool {
        let domain = &self.column.values.domain;
        domain.is_rounded() || (domain.missing && !domain.all_or_none && domain.class() == DomainClass::Bool)
    }

    /// The name of the engine's type of its integers: `Int16`.
    #[getter]
    fn whole_type(&self) -> String {
        format!("{:?}", self.column.values.domain.dtype)
    }

    /// The same values, stored as they are, of the type of pandas that Python described.
    fn stored_as(&self, described: logical::Described) -> PyResult<Self> {
        let mut column = self.column.clone();
        column.values.domain = column.values.domain.clone().with_logical(logical::logical(Some(&described))?);
        Ok(column.into())
    }

    /// Whether it is of truth values of which some may have been missing, so that they may be objects in pandas.
    #[getter]
    fn was_missing(&self) -> bool {
        self.column.values.domain.was_missing
    }

    /// Whether any of its values can be missing to pandas.
    #[getter]
    fn can_miss(&self) -> bool {
        self.column.values.domain.can_miss()
    }

    /// Whether it holds numbers, decimals and truth values included.
    #[getter]
    fn is_numeric(&self) -> bool {
        self.column.values.domain.is_numeric()
    }

    /// Whether it holds truth values, which are objects in pandas where some may be missing.
    #[getter]
    fn is_truth(&self) -> bool {
        self.column.values.domain.class() == DomainClass::Bool
    }

    /// Whether it is a number that pandas counts as an `int` of Python.
    #[getter]
    fn is_counted(&self) -> bool {
        self.column.counted
    }

    /// The same number, which pandas counts as an `int` of Python.
    fn counted(&self) -> Self {
        Column { counted: true, ..self.column.clone() }.into()
    }

    /// "series", "scalar" or "index".
    #[getter]
    fn kind(&self) -> &'static str {
        match (self.column.is_scalar(), self.column.labels) {
            (true, _) => "scalar",
            (_, true) => "index",
            _ => "series",
        }
    }

    /// What tells its rows from those of other plans.
    #[getter]
    fn root(&self) -> String {
        format!("{:032x}", self.column.to_frame("").rows_digest())
    }

    /// What tells its row labels from others of the same rows.
    #[getter]
    fn labels_key(&self) -> String {
        format!("{:032x}", self.column.to_frame("").labels_digest())
    }

    /// What tells it from other plans.
    #[getter]
    fn key(&self) -> String {
        format!("{:032x}", self.column.digest())
    }

    /// How many partitions it has.
    #[getter]
    fn npartitions(&self) -> usize {
        self.column.root.partitions
    }

    /// Whether each value is computed from its own row alone.
    #[getter]
    fn is_rowwise(&self) -> bool {
        self.column.is_rowwise()
    }

    /// How far each label is from the next, in pandas' words; None if that isn't known.
    #[getter]
    fn frequency(&self) -> Option<String> {
        self.column.to_frame("").frequency().map(|frequency| frequency.to_string())
    }

    /// The first label of each partition and the last of all; None if that isn't known.
    #[getter]
    fn divisions<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        divisions_of(py, self.column.to_frame("").divisions())
    }

    /// The names of the levels of the row labels.
    #[getter]
    fn index_names(&self) -> Vec<Option<String>> {
        self.column.index.names().into_iter().map(|name| name.map(|name| name.to_string())).collect()
    }

    /// The name of pandas' type of the row labels.
    #[getter]
    fn index_dtype(&self) -> String {
        self.column.index.pandas_dtype()
    }

    /// How many rows it has, if that is known without computing.
    fn length(&self) -> PyResult<Option<usize>> {
        let known = self.column.root.length();
        if known.is_some() {
            raskt_frame::check_files(&self.column.root).or_raise()?;
        }
        Ok(known)
    }

    /// The row labels.
    fn index(&self) -> PyResult<Self> {
        self.column.to_frame("").labels().or_raise().map(Into::into)
    }

    /// The same under another name.
    fn rename(&self, name: Option<&str>) -> Self {
        self.column.rename(name).into()
    }

    /// A dataframe of this column alone.
    #[pyo3(signature = (name=None))]
    fn to_frame(&self, name: Option<&str>) -> FrameExpr {
        let own = self.column.name.as_deref();
        self.column.to_frame(name.or(own).unwrap_or("")).into()
    }

    /// The values of an index as a series.
    fn to_series(&self) -> Self {
        Column { labels: false, ..self.column.clone() }.into()
    }

    /// `self op other`, or `other op self` if `reflected`.
    #[pyo3(signature = (op, other, reflected=false))]
    fn binary(&self, op: &str, other: &Bound<'_, PyAny>, reflected: bool) -> PyResult<Self> {
        let other = column_or_value(&self.column.values.domain, other)?;
        self.column.binary(op, &other, reflected).or_raise().map(Into::into)
    }

    /// `op` of each value.
    fn unary(&self, op: &str) -> PyResult<Self> {
        self.column.unary(op).or_raise().map(Into::into)
    }

    /// The values converted to another type.
    fn cast(&self, dtype: &str) -> PyResult<Self> {
        self.column.cast(&parse_dtype_name(dtype).or_raise()?).or_raise().map(Into::into)
    }

    /// `value` where a value is missing.
    fn fillna(&self, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let value = column_or_value(&self.column.values.domain, value)?;
        self.column.fill_missing(&value).or_raise().map(Into::into)
    }

    /// Whether each value is among `values`.
    fn isin(&self, values: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let values = literals(&self.column.values.domain, &values)?;
        self.column.is_in(&values).or_raise().map(Into::into)
    }

    /// Whether each value lies in an interval.
    #[pyo3(signature = (left, right, inclusive="both"))]
    fn between(&self, left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>, inclusive: &str) -> PyResult<Self> {
        let domain = &self.column.values.domain;
        let (left, right) = (column_or_value(domain, left)?, column_or_value(domain, right)?);
        let inclusive = Inclusive::from_name(inclusive).or_raise()?;
        self.column.between(&left, &right, inclusive).or_raise().map(Into::into)
    }

    /// The values, but no less than `lower` and no more than `upper`.
    #[pyo3(signature = (lower=None, upper=None))]
    fn clip(&self, lower: Option<&Bound<'_, PyAny>>, upper: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let bound = |bound: Option<&Bound<'_, PyAny>>| {
            bound.map(|bound| column_or_value(&self.column.values.domain, bound)).transpose()
        };
        let (lower, upper) = (bound(lower)?, bound(upper)?);
        self.column.clip(lower.as_ref(), upper.as_ref()).or_raise().map(Into::into)
    }

    /// The values where `condition` is true, and `other` elsewhere.
    #[pyo3(signature = (condition, other=None), name = "where")]
    fn keep_where(&self, py: Python<'_>, condition: &Self, other: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let none = py.None().into_bound(py);
        let other = column_or_value(&self.column.values.domain, other.unwrap_or(&none))?;
        self.column.keep_where(&condition.column, &other).or_raise().map(Into::into)
    }

    /// The values rounded to so many decimal places.
    #[pyo3(signature = (decimals=0))]
    fn round(&self, decimals: i32) -> PyResult<Self> {
        self.column.round(decimals).or_raise().map(Into::into)
    }

    /// The values with `old[i]` replaced by `new[i]`.
    fn replace(&self, old: Vec<Bound<'_, PyAny>>, new: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        self.replaced(&old, &new, true)
    }

    /// `new[i]` where a value is `old[i]`, and missing elsewhere.
    fn map_values(&self, old: Vec<Bound<'_, PyAny>>, new: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        self.replaced(&old, &new, false)
    }

    /// A method of `Series.str`.
    #[pyo3(signature = (method, *args))]
    fn str(&self, method: &str, args: &Bound<'_, PyTuple>) -> PyResult<Self> {
        if method == "cat" {
            let other = args.get_item(0)?.cast_into::<Self>()?;
            let separator: Option<String> = args.get_item(1).ok().and_then(|it| it.extract().ok());
            let separator = separator.unwrap_or_default();
            return self.column.text_with(&other.get().column, &separator).or_raise().map(Into::into);
        }
        let arguments = args.iter().map(|argument| literal::literal(&argument)).collect::<PyResult<Vec<_>>>()?;
        self.column.text(method, &arguments).or_raise().map(Into::into)
    }

    /// A method of `Series.dt`.
    #[pyo3(signature = (method, *args))]
    fn dt(&self, method: &str, args: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let arguments = args.iter().map(|argument| literal::literal(&argument)).collect::<PyResult<Vec<_>>>()?;
        self.column.time(method, &arguments).or_raise().map(Into::into)
    }

    /// One value from all rows.
    #[pyo3(signature = (function, **options))]
    fn reduce(&self, function: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        self.column.reduce(function, reduce_options(options)?).or_raise().map(Into::into)
    }

    /// "cumsum", "cumprod", "cummin" or "cummax".
    fn cumulative(&self, op: &str) -> PyResult<Self> {
        self.column.cumulative(op).or_raise().map(Into::into)
    }

    /// The values moved down.
    #[pyo3(signature = (n, fill=None))]
    fn shift(&self, py: Python<'_>, n: i64, fill: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let none = py.None().into_bound(py);
        let fill = literal::literal_for(&self.column.values.domain, fill.unwrap_or(&none))?;
        self.column.shift(n, &fill).or_raise().map(Into::into)
    }

    /// The difference from the value so many rows above.
    #[pyo3(signature = (n=1))]
    fn diff(&self, n: i64) -> PyResult<Self> {
        self.column.diff(n).or_raise().map(Into::into)
    }

    /// The place of each value in their order.
    #[pyo3(signature = (method="average", ascending=true))]
    fn rank(&self, method: &str, ascending: bool) -> PyResult<Self> {
        self.column.rank(method, ascending).or_raise().map(Into::into)
    }

    /// Missing values replaced by the last one above.
    fn ffill(&self) -> PyResult<Self> {
        self.column.fill_along(true).or_raise().map(Into::into)
    }

    /// Missing values replaced by the next one below.
    fn bfill(&self) -> PyResult<Self> {
        self.column.fill_along(false).or_raise().map(Into::into)
    }

    /// What this gives within each group of equal keys.
    fn over(&self, by: Vec<Py<Self>>) -> PyResult<Self> {
        self.column.over_groups(&columns(&by)).or_raise().map(Into::into)
    }

    /// The plan as text, and with `engine` the query that the engine makes of it.
    #[pyo3(signature = (engine=false))]
    fn explain(&self, engine: bool) -> PyResult<String> {
        let mut text = self.column.explain();
        if engine {
            text += &self.column.explain_engine().or_raise()?;
        }
        Ok(text)
    }

    /// The same plan, whose tasks are its partitions.
    fn by_partition(&self) -> PyResult<Self> {
        if self.column.is_scalar() {
            return Err(PyTypeError::new_err("one value has no partitions"));
        }
        let mut column = self.column.to_frame("values").with_known_labels().or_raise()?.column_at(0).or_raise()?;
        (column.name, column.labels) = (self.column.name.clone(), self.column.labels);
        Ok(Self { column, by_partition: true })
    }

    fn __repr__(&self) -> String {
        format!("ColumnExpr({}, {}, {})", self.kind(), self.name().unwrap_or_default(), self.dtype())
    }
}

impl ColumnExpr {
    fn replaced(&self, old: &[Bound<'_, PyAny>], new: &[Bound<'_, PyAny>], keep_others: bool) -> PyResult<Self> {
        let old = literals(&self.column.values.domain, old)?;
        let new = new.iter().map(literal::literal).collect::<PyResult<Vec<_>>>()?;
        self.column.replace(&old, &new, keep_others).or_raise().map(Into::into)
    }
}
