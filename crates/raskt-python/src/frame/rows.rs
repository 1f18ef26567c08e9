//! Methods of dataframes that change which rows there are.

use super::arguments::{columns, strs};
use super::{ColumnExpr, FrameExpr, OrRaise};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_frame::{ConcatJoin, Frame, JoinHow, JoinKeys, JoinOptions, Keep, NullPosition};

#[pymethods]
impl FrameExpr {
    /// The rows where `mask` is true.
    fn filter(&self, mask: &ColumnExpr) -> PyResult<Self> {
        self.frame.filter(&mask.column).or_raise().map(Into::into)
    }

    /// The rows in the order of columns.
    #[pyo3(signature = (by, ascending, na_position="last", ignore_index=false))]
    fn sort(
        &self,
        by: Vec<Py<ColumnExpr>>,
        ascending: Vec<bool>,
        na_position: &str,
        ignore_index: bool,
    ) -> PyResult<Self> {
        let missing = match na_position {
            "first" => NullPosition::First,
            "last" => NullPosition::Last,
            other => {
                let message = format!("na_position is '{other}'; it has to be 'first' or 'last'");
                return Err(PyValueError::new_err(message));
            }
        };
        self.frame.sort(&columns(&by), &ascending, missing, ignore_index).or_raise().map(Into::into)
    }

    /// The first `n` rows.
    fn head(&self, n: usize) -> PyResult<Self> {
        self.frame.head(n).or_raise().map(Into::into)
    }

    /// The last `n` rows.
    fn tail(&self, n: usize) -> PyResult<Self> {
        self.frame.tail(n).or_raise().map(Into::into)
    }

    /// `length` rows from position `offset`; from the end if negative.
    fn slice(&self, offset: i64, length: usize) -> PyResult<Self> {
        self.frame.slice(offset, length).or_raise().map(Into::into)
    }

    /// The `n` rows with the greatest (or least) values.
    fn topk(&self, n: usize, by: Vec<Py<ColumnExpr>>, largest: bool) -> PyResult<Self> {
        self.frame.top(n, &columns(&by), largest).or_raise().map(Into::into)
    }

    /// One row for each value of the columns `subset`.
    #[pyo3(signature = (subset=None, keep="first", ignore_index=false))]
    fn unique(&self, subset: Option<Vec<String>>, keep: &str, ignore_index: bool) -> PyResult<Self> {
        let keep = match keep {
            "first" => Keep::First,
            "last" => Keep::Last,
            "none" => Keep::None,
            other => {
                return Err(PyValueError::new_err(format!("keep is '{other}'; it has to be 'first', 'last' or False")));
            }
        };
        let subset = subset.as_deref().map(strs);
        self.frame.unique(subset.as_deref(), keep, ignore_index).or_raise().map(Into::into)
    }

    /// The rows that aren't missing in any (or all) of the columns `subset`.
    #[pyo3(signature = (subset=None, how="any", thresh=None))]
    fn dropna(&self, subset: Option<Vec<String>>, how: &str, thresh: Option<usize>) -> PyResult<Self> {
        let all = match how {
            "any" => false,
            "all" => true,
            other => return Err(PyValueError::new_err(format!("how is '{other}'; it has to be 'any' or 'all'"))),
        };
        let subset = subset.as_deref().map(strs);
        self.frame.drop_missing(subset.as_deref(), all, thresh).or_raise().map(Into::into)
    }

    /// The rows beside those of another dataframe with equal keys.
    #[pyo3(signature = (other, *, how, left_on=None, right_on=None, left_index=false, right_index=false,
                        suffixes=("_x".to_owned(), "_y".to_owned()), indicator=None))]
    #[expect(clippy::too_many_arguments, reason = "they are pandas'")]
    fn join(
        &self,
        other: &Self,
        how: &str,
        left_on: Option<Vec<Py<ColumnExpr>>>,
        right_on: Option<Vec<Py<ColumnExpr>>>,
        left_index: bool,
        right_index: bool,
        suffixes: (String, String),
        indicator: Option<String>,
    ) -> PyResult<Self> {
        let keys = |on: Option<Vec<Py<ColumnExpr>>>, labels: bool| match labels {
            true => JoinKeys::Labels,
            false => JoinKeys::Columns(columns(&on.unwrap_or_default())),
        };
        let options = JoinOptions { how: JoinHow::from_name(how).or_raise()?, suffixes, indicator };
        let (left, right) = (keys(left_on, left_index), keys(right_on, right_index));
        self.frame.join(&other.frame, &left, &right, &options).or_raise().map(Into::into)
    }

    /// The same rows in so many equal partitions.
    fn repartition(&self, npartitions: usize) -> PyResult<Self> {
        self.frame.repartition(npartitions).or_raise().map(Into::into)
    }
}

/// The rows of dataframes under each other.
#[pyfunction]
#[pyo3(signature = (frames, *, join="outer", ignore_index=false))]
pub(super) fn frame_concat(frames: Vec<Py<FrameExpr>>, join: &str, ignore_index: bool) -> PyResult<FrameExpr> {
    let frames: Vec<Frame> = frames.iter().map(|frame| frame.get().frame.clone()).collect();
    let join = match join {
        "outer" => ConcatJoin::Outer,
        "inner" => ConcatJoin::Inner,
        other => return Err(PyValueError::new_err(format!("join is '{other}'; it has to be 'inner' or 'outer'"))),
    };
    Frame::concat(&frames, join, ignore_index).or_raise().map(Into::into)
}
