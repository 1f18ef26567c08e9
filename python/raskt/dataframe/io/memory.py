"""What frames become in memory, computed: records, HTML and text."""

from __future__ import annotations

from typing import Any

from .options import given


def to_records(
    self: Any, index: bool = True, column_dtypes: Any = None, index_dtypes: Any = None, *, lengths: Any = None
) -> Any:
    """The computed rows as a NumPy record array.

    Parameters
    ----------
    index : bool, default True
        Whether the row labels are the first fields.
    column_dtypes, index_dtypes : as in pandas
        Types of fields.
    lengths : bool or list of int, optional
        For programs written for Dask: the rows are computed, so that lengths are known. Lengths that are given have to
        be right.

    Returns
    -------
    numpy.recarray
        A record for each row.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2).to_records().tolist()
    [(0, 1), (1, 2)]
    """
    computed = self.compute()
    computed = computed.to_frame() if computed.ndim == 1 else computed
    if lengths is not None and not isinstance(lengths, bool) and sum(lengths) != len(computed):
        raise ValueError(f"lengths are {list(lengths)}, and there are {len(computed)} rows")
    return computed.to_records(index=index, column_dtypes=column_dtypes, index_dtypes=index_dtypes)


def to_html(
    self: Any,
    buf: Any = None,
    *,
    columns: Any = None,
    col_space: Any = None,
    header: bool = True,
    index: bool = True,
    na_rep: str = "NaN",
    formatters: Any = None,
    float_format: Any = None,
    sparsify: bool | None = None,
    index_names: bool = True,
    justify: str | None = None,
    max_rows: int | None = None,
    max_cols: int | None = None,
    show_dimensions: bool | str = False,
    decimal: str = ".",
    bold_rows: bool = True,
    classes: Any = None,
    escape: bool = True,
    notebook: bool = False,
    border: Any = None,
    table_id: str | None = None,
    render_links: bool = False,
    encoding: str | None = None,
) -> Any:
    """The computed rows as HTML.

    Parameters
    ----------
    buf : path or file object, optional
        Where to write; by default the text is returned.
    columns, col_space, header, index, na_rep, ... : as in pandas
        Each means what it means in `pandas.DataFrame.to_html`.

    Returns
    -------
    str or None
        The text, or nothing if it was written to `buf`.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> rd.from_pandas(pd.DataFrame({"x": [1]}), npartitions=1).to_html(index=False).count("<td>")
    1
    """
    options = given(to_html, locals())
    options.pop("buf", None)
    return self.compute().to_html(buf, **options)


def frame_to_string(
    self: Any,
    buf: Any = None,
    *,
    columns: Any = None,
    col_space: Any = None,
    header: Any = True,
    index: bool = True,
    na_rep: str = "NaN",
    formatters: Any = None,
    float_format: Any = None,
    sparsify: bool | None = None,
    index_names: bool = True,
    justify: str | None = None,
    max_rows: int | None = None,
    max_cols: int | None = None,
    show_dimensions: bool = False,
    decimal: str = ".",
    line_width: int | None = None,
    min_rows: int | None = None,
    max_colwidth: int | None = None,
    encoding: str | None = None,
) -> Any:
    """All rows as text, computed; each argument means what it means in `pandas.DataFrame.to_string`."""
    options = given(frame_to_string, locals())
    options.pop("buf", None)
    return self.compute().to_string(buf, **options)


def series_to_string(
    self: Any,
    buf: Any = None,
    *,
    na_rep: str = "NaN",
    float_format: Any = None,
    header: bool = True,
    index: bool = True,
    length: bool = False,
    dtype: bool = False,
    name: bool = False,
    max_rows: int | None = None,
    min_rows: int | None = None,
) -> Any:
    """All rows as text, computed; each argument means what it means in `pandas.Series.to_string`."""
    options = given(series_to_string, locals())
    options.pop("buf", None)
    return self.compute().to_string(buf, **options)


frame_to_string.__name__ = series_to_string.__name__ = "to_string"
