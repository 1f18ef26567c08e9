//! Dataframe plans with pandas' semantics, on the Polars engine.
