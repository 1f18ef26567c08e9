use crate::error::{FrameError, Result};
use crate::table::FrameTable;
use polars::prelude::*;
use raskt_value::{Call, Kernel, TaskError, Value};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Where and how a frame is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The folder, or the file if there is only one.
    pub path: PathBuf,
    /// One file for all partitions.
    pub single_file: bool,
    /// The names that columns get in the file, by position, labels first.
    pub columns: Vec<String>,
    /// What kind of file.
    pub format: WriteFormat,
}

/// What kind of file is written.
#[derive(Clone, Debug)]
pub enum WriteFormat {
    /// Parquet.
    Parquet {
        /// `snappy`, `zstd`, `gzip`, `lz4` or `none`.
        compression: String,
        /// What pandas notes about its labels and types, as JSON.
        metadata: Option<String>,
    },
    /// CSV.
    Csv {
        /// What stands between fields.
        separator: u8,
        /// Whether the first line has the names.
        header: bool,
    },
}

/// Writes each table to a file of its own.
pub(crate) struct Write {
    pub options: WriteOptions,
}

impl Kernel for Write {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        call.check_cancelled()?;
        let path = self.options.path_of(call.index)?;
        let mut table = FrameTable::of(&inputs[0])?.frame.clone();
        table.set_column_names(&self.options.columns).map_err(FrameError::from)?;
        write_atomically(&path, |file| self.options.write(file, &mut table))?;
        let path = Series::new("path".into(), [path.to_string_lossy().as_ref()]);
        Ok(FrameTable::from(DataFrame::new_infer_height(vec![path.into()]).map_err(FrameError::from)?).into())
    }

    fn name(&self) -> String {
        "write".into()
    }
}

impl WriteOptions {
    fn path_of(&self, index: u64) -> Result<PathBuf> {
        if self.single_file {
            return Ok(self.path.clone());
        }
        fs::create_dir_all(&self.path).map_err(|error| failed(&self.path, &error))?;
        let ending = match self.format {
            WriteFormat::Parquet { .. } => "parquet",
            WriteFormat::Csv { .. } => "csv",
        };
        Ok(self.path.join(format!("part.{index}.{ending}")))
    }

    fn write(&self, file: &mut File, table: &mut DataFrame) -> PolarsResult<()> {
        match &self.format {
            WriteFormat::Parquet { compression, metadata } => {
                let mut writer = ParquetWriter::new(file).with_compression(compression_of(compression)?);
                if let Some(metadata) = metadata {
                    let notes = vec![("pandas".to_string(), metadata.clone())];
                    writer = writer.with_key_value_metadata(Some(KeyValueMetadata::from_static(notes)));
                }
                writer.finish(table).map(|_| ())
            }
            WriteFormat::Csv { separator, header } => {
                let mut table = texts_of_truths(table)?;
                CsvWriter::new(file).with_separator(*separator).include_header(*header).finish(&mut table)
            }
        }
    }
}

/// pandas writes `True` and `False`.
fn texts_of_truths(table: &DataFrame) -> PolarsResult<DataFrame> {
    let truths: Vec<PlSmallStr> =
        table.columns().iter().filter(|column| column.dtype().is_bool()).map(|column| column.name().clone()).collect();
    let text = |name: &PlSmallStr| {
        let column = col(name.clone());
        when(column.clone())
            .then(lit("True"))
            .when(column.is_not_null())
            .then(lit("False"))
            .otherwise(lit(NULL))
            .alias(name.clone())
    };
    if truths.is_empty() {
        return Ok(table.clone());
    }
    table.clone().lazy().with_columns(truths.iter().map(text).collect::<Vec<_>>()).collect()
}

fn compression_of(name: &str) -> PolarsResult<ParquetCompression> {
    Ok(match name {
        "snappy" => ParquetCompression::Snappy,
        "zstd" => ParquetCompression::Zstd(None),
        "gzip" => ParquetCompression::Gzip(None),
        "lz4" => ParquetCompression::Lz4Raw,
        "none" | "uncompressed" => ParquetCompression::Uncompressed,
        _ => polars_bail!(InvalidOperation: "`{name}` is no compression; there are snappy, zstd, gzip, lz4 and none"),
    })
}

/// Writes a file under another name and renames it when it is whole: nobody sees half of it.
pub(crate) fn write_atomically(path: &Path, write: impl FnOnce(&mut File) -> PolarsResult<()>) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
    let beside = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let written = (|| -> Result<()> {
        let mut file = File::create(&beside).map_err(|error| failed(path, &error))?;
        write(&mut file).map_err(|error| FrameError::Io(format!("`{}` can't be written: {error}", path.display())))?;
        file.sync_all().map_err(|error| failed(path, &error))?;
        fs::rename(&beside, path).map_err(|error| failed(path, &error))
    })();
    if written.is_err() {
        // The error to tell is the first one.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn failed(path: &Path, error: &std::io::Error) -> FrameError {
    FrameError::Io(format!("`{}` can't be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_could_not_be_finished_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let failed = write_atomically(&path, |file| {
            file.write_all(b"half").unwrap();
            polars_bail!(ComputeError: "no more")
        });
        assert!(matches!(failed, Err(FrameError::Io(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
