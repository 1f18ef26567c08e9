//! Parallel and distributed computing: chunked arrays, partitioned dataframes, delayed functions.
