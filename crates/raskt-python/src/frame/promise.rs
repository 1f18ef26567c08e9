//! What Python functions over partitions promise to give, and whether they did.

use super::OrRaise;
use super::interchange::{self, Imported};
use super::logical::codecs;
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_frame::polars::prelude::{Column as Values, DataFrame, DataType, TimeUnit};
use raskt_frame::{Domain, DomainsForm, FrameError, index_column_name, shown_label};
use serde::{Deserialize, Serialize};

/// What the function promised to give, by its meta.
pub(super) struct Promise {
    pub levels: Vec<(Option<String>, Domain)>,
    pub columns: Vec<(String, Domain)>,
    pub is_series: bool,
    /// Whether nobody said the types: they were found by trying the function on a few rows.
    pub inferred: bool,
}

/// What is written of a promise.
#[derive(Serialize, Deserialize)]
pub(super) struct PromiseForm {
    /// The names of levels.
    levels: Vec<Option<String>>,
    /// What the levels and columns can hold.
    domains: DomainsForm,
    is_series: bool,
    inferred: bool,
}

impl Promise {
    /// What it is when it travels.
    pub(super) fn form(&self) -> PyResult<PromiseForm> {
        let levels = self.levels.iter().map(|(_, domain)| ("", domain));
        let columns = self.columns.iter().map(|(name, domain)| (name.as_str(), domain));
        Ok(PromiseForm {
            levels: self.levels.iter().map(|(name, _)| name.clone()).collect(),
            domains: DomainsForm::of(levels.chain(columns)).or_raise()?,
            is_series: self.is_series,
            inferred: self.inferred,
        })
    }
}

impl PromiseForm {
    /// The promise that has come.
    pub(super) fn promise(self) -> Result<Promise, String> {
        let Self { levels: names, domains, is_series, inferred } = self;
        let mut columns = domains.read().map_err(|error| error.to_string())?;
        if columns.len() < names.len() {
            return Err("levels of labels without values".into());
        }
        let own = columns.split_off(names.len());
        let levels = names.into_iter().zip(columns).map(|(name, (_, domain))| (name, domain)).collect();
        Ok(Promise { levels, columns: own, is_series, inferred })
    }
}

/// Which columns of a result may miss values, whatever their types are.
#[derive(FromPyObject)]
pub(super) enum MayMiss {
    All(bool),
    Each(Vec<bool>),
}

impl MayMiss {
    fn at(&self, column: usize) -> bool {
        match self {
            Self::All(may_miss) => *may_miss,
            Self::Each(columns) => columns.get(column).copied().unwrap_or(true),
        }
    }
}

impl Promise {
    /// The promise of a function by an empty pandas object; where `may_miss`, values may be missing whatever its types are.
    /// A function says of itself whether its promise was found by a trial, and whether row labels may miss values as well.
    pub(super) fn of(function: &Bound<'_, PyAny>, meta: &Bound<'_, PyAny>, may_miss: &MayMiss) -> PyResult<Self> {
        let imported = interchange::import_meta(meta)?;
        let (mut levels, mut columns) = imported.promised();
        let says = |what: &str| function.getattr(what).and_then(|it| it.is_truthy()).unwrap_or(false);
        let missing_labels = says("missing_labels");
        levels.iter_mut().for_each(|(_, domain)| domain.missing |= missing_labels);
        columns.iter_mut().enumerate().for_each(|(at, (_, domain))| domain.missing |= may_miss.at(at));
        Ok(Self { levels, columns, is_series: imported.is_series, inferred: says("inferred") })
    }

    /// What stores the values of each level and column.
    pub(super) fn codecs<'py>(&self, py: Python<'py>) -> Vec<Option<Bound<'py, PyBytes>>> {
        let domains: Vec<&Domain> = self.domains().collect();
        codecs(py, &domains)
    }

    fn domains(&self) -> impl Iterator<Item = &Domain> {
        self.levels.iter().map(|(_, it)| it).chain(self.columns.iter().map(|(_, it)| it))
    }

    /// The table of a result, with the names and types that were promised; an error if it has others.
    pub(super) fn kept(&self, found: Imported, name: &str, without_labels: bool) -> PyResult<DataFrame> {
        let wrong = |what: String| match self.inferred {
            true => PyNotImplementedError::new_err(format!(
                "`{name}` gives another type for these values than for the few rows that it was tried on: {what}; \
                 convert the values by astype first, or say the type where there is a meta="
            )),
            false => PyValueError::new_err(format!("`{name}` didn't give what its meta promised: {what}")),
        };
        if found.is_series != self.is_series {
            let kind = |series: bool| if series { "a Series" } else { "a DataFrame" };
            return Err(wrong(format!("{} and not {}", kind(found.is_series), kind(self.is_series))));
        }
        if found.levels.len() != self.levels.len() {
            return Err(wrong(format!("{} levels of row labels and not {}", found.levels.len(), self.levels.len())));
        }
        let names: Vec<String> = found.names.iter().map(|name| name.clone().unwrap_or_default()).collect();
        let promised: Vec<&String> = self.columns.iter().map(|(name, _)| name).collect();
        let names: Vec<&String> = names.iter().collect();
        if !self.is_series && names != promised {
            let shown = |names: &[&String]| names.iter().map(|name| shown_label(name)).collect::<Vec<_>>().join("`, `");
            let (found, promised) = (shown(&names), shown(&promised));
            return Err(wrong(format!("columns `{found}` and not `{promised}`")));
        }
        for ((domain, logical), own) in self.domains().zip(&found.logical).zip(found.table.columns()) {
            if domain.logical != *logical {
                let given = Domain::full(own.dtype().clone()).with_logical(logical.clone());
                let (given, promised) = (given.pandas_dtype(), domain.pandas_dtype());
                return Err(wrong(match given == promised {
                    true => format!("other values of {given} (categories, say) than those promised"),
                    false => format!("values of {given} and not of {promised}"),
                }));
            }
        }
        let own = found.table.columns();
        let count = self.levels.len();
        let mut columns = vec![];
        for (at, (_, domain)) in self.levels.iter().enumerate().filter(|_| !without_labels) {
            let what = "the row labels are";
            let labels = cast(&own[at], &domain.dtype, own[at].null_count() > 0, self.inferred, what).map_err(wrong)?;
            let back = labels.cast(own[at].dtype());
            if own[at].dtype().is_integer() && !back.is_ok_and(|back| back.equals_missing(&own[at])) {
                return Err(wrong(format!("{what} integers that would be rounded to {}", domain.pandas_dtype())));
            }
            if !domain.missing && labels.null_count() > 0 {
                return Err(wrong(format!("missing row labels of {}, which has none", domain.pandas_dtype())));
            }
            columns.push(labels.with_name(index_column_name(at)));
        }
        for (at, (column, domain)) in self.columns.iter().enumerate() {
            let what = format!("column `{column}` is");
            let values = cast(&own[count + at], &domain.dtype, domain.missing, self.inferred, &what).map_err(wrong)?;
            if !domain.missing && values.null_count() > 0 {
                let dtype = domain.pandas_dtype();
                return Err(wrong(format!("missing values in column `{column}` of {dtype}, which has none")));
            }
            columns.push(values.with_name(column.as_str().into()));
        }
        DataFrame::new(found.table.height(), columns).map_err(FrameError::from).or_raise()
    }
}

/// `values` as `dtype`, if no value changes by it. Where that was `found_by_trial` integers are rounded to floats, as
/// pandas does where it joins parts of both types, and floats stay as wide as they are.
fn cast(values: &Values, dtype: &DataType, may_miss: bool, found_by_trial: bool, what: &str) -> Result<Values, String> {
    if values.dtype() == dtype {
        return Ok(values.clone());
    }
    let name = |dtype: &DataType| raskt_frame::pandas_dtype_name(dtype, false);
    let differ = || format!("{what} of {} and not of {}", name(values.dtype()), name(dtype));
    // Numbers that happen to be whole, or short enough, are no reason to give another type than pandas does.
    if found_by_trial && narrows(values.dtype(), dtype, may_miss) && values.null_count() < values.len() {
        return Err(differ());
    }
    let group = |dtype: &DataType| match dtype {
        dtype if dtype.is_numeric() || dtype.is_bool() => 0,
        DataType::String | DataType::Categorical(..) | DataType::Enum(..) => 1,
        dtype if dtype.is_temporal() => 2,
        _ => 3,
    };
    let zoned = |dtype: &DataType| matches!(dtype, DataType::Datetime(_, Some(_)));
    let nothing = values.null_count() == values.len();
    if found_by_trial && !nothing && changes_times(values.dtype(), dtype) {
        return Err(differ());
    }
    let alike = group(values.dtype()) == group(dtype)
        && values.dtype().is_bool() == dtype.is_bool()
        && zoned(values.dtype()) == zoned(dtype);
    if !alike && !nothing {
        return Err(differ());
    }
    if !alike && values.dtype() == &DataType::String {
        // Missing values that pandas has no type for come as text; the engine warns its users of text that is made times.
        return Ok(Values::full_null(values.name().clone(), values.len(), dtype));
    }
    let cast = values.strict_cast(dtype).map_err(|_| differ())?;
    let rounded = found_by_trial && values.dtype().is_integer() && dtype.is_float();
    let same = rounded || cast.cast(values.dtype()).is_ok_and(|back| back.equals_missing(values));
    let can_lose = matches!(group(dtype), 0 | 2);
    if same || !can_lose { Ok(cast) } else { Err(differ()) }
}

/// Whether floats would become narrower ones, or integers; those are floats in pandas where one may be missing.
fn narrows(from: &DataType, to: &DataType, may_miss: bool) -> bool {
    let whole = to.is_integer() && !may_miss;
    from.is_float() && (whole || (*from == DataType::Float64 && *to == DataType::Float32))
}

/// Whether times would become coarser ones, or those of another zone.
fn changes_times(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Datetime(own, zone), DataType::Datetime(other, wanted)) => finer(*own, *other) || zone != wanted,
        (DataType::Duration(own), DataType::Duration(other)) => finer(*own, *other),
        _ => false,
    }
}

fn finer(a: TimeUnit, b: TimeUnit) -> bool {
    let per_second = |unit| match unit {
        TimeUnit::Milliseconds => 1_000,
        TimeUnit::Microseconds => 1_000_000,
        TimeUnit::Nanoseconds => 1_000_000_000,
    };
    per_second(a) > per_second(b)
}
