use crate::error::{FrameError, Result};
use crate::message;
use crate::table::FrameTable;
use polars::prelude::*;
use raskt_value::{Call, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where and how a frame is written.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct WriteOptions {
    /// The folder, or the file if there is only one.
    pub path: PathBuf,
    /// One file for all partitions.
    pub single_file: bool,
    /// Whether the folder is there already: a task that is late must not make one anew that was removed.
    pub has_folder: bool,
    /// The names that columns get in the file, by position, labels first.
    pub columns: Vec<String>,
    /// What kind of file.
    pub format: WriteFormat,
}

/// What kind of file is written.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Serialize, Deserialize)]
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
        if !self.has_folder {
            fs::create_dir_all(&self.path).map_err(|error| failed(&self.path, &error))?;
        }
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
                let mut texts = as_texts(table)?;
                if *header {
                    write_header(file, &self.columns, *separator)?;
                }
                CsvWriter::new(file).with_separator(*separator).include_header(false).finish(&mut texts)
            }
        }
    }
}

/// The names, in quotes where they hold what separates them.
fn write_header(file: &mut File, names: &[String], separator: u8) -> PolarsResult<()> {
    let quoted = |name: &String| match name.contains([separator as char, '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.clone(),
    };
    let names: Vec<String> = names.iter().map(quoted).collect();
    Ok(writeln!(file, "{}", names.join(&(separator as char).to_string()))?)
}

/// Truth values and times as pandas writes them.
fn as_texts(table: &DataFrame) -> PolarsResult<DataFrame> {
    let mut columns = vec![];
    for (at, column) in table.columns().iter().enumerate() {
        // Labels without a name have an empty one, perhaps twice.
        let name = PlSmallStr::from_string(at.to_string());
        let series = column.as_materialized_series();
        let text = match column.dtype() {
            DataType::Boolean => {
                let texts = series.bool()?.iter().map(|value| value.map(|value| if value { "True" } else { "False" }));
                StringChunked::from_iter_options(name.clone(), texts).into_series()
            }
            DataType::Datetime(_, zone) => {
                let texts = series.datetime()?.to_string(&format_of_times(series, zone.is_some())?)?;
                texts.into_series()
            }
            // An empty string is written as nothing, without quotes.
            DataType::String => {
                let texts = series.str()?.iter().map(|text| text.filter(|text| !text.is_empty()));
                StringChunked::from_iter_options(name.clone(), texts).into_series()
            }
            DataType::Float64 => {
                let texts = series.f64()?.iter().map(|value| value.filter(|value| !value.is_nan()).map(float_text));
                StringChunked::from_iter_options(name.clone(), texts).into_series()
            }
            DataType::Float32 => {
                let texts = series.f32()?.iter().map(|value| value.filter(|value| !value.is_nan()).map(single_text));
                StringChunked::from_iter_options(name.clone(), texts).into_series()
            }
            _ => series.clone(),
        };
        columns.push(text.with_name(name).into());
    }
    DataFrame::new(table.height(), columns)
}

/// A number as Python writes it: with a point or an exponent, in as few digits as tell it.
fn float_text(value: f64) -> String {
    let size = value.abs();
    number_text(value, size == 0.0 || (1e-4..1e16).contains(&size))
}

/// The same in single precision, which has an exponent from a million on.
fn single_text(value: f32) -> String {
    let size = f64::from(value.abs());
    number_text(value, size == 0.0 || (1e-4..1e6).contains(&size))
}

fn number_text<T: std::fmt::LowerExp + std::fmt::Display>(value: T, plainly: bool) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(_) if plainly => {
            let plain = format!("{value}");
            if plain.contains('.') { plain } else { format!("{plain}.0") }
        }
        Ok(exponent) => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
        Err(_) => scientific,
    }
}

/// The shortest format that tells all of the times: days, seconds or parts of them.
fn format_of_times(times: &Series, zoned: bool) -> PolarsResult<String> {
    let DataType::Datetime(unit, _) = *times.dtype() else { return Ok("%Y-%m-%d".into()) };
    let second = match unit {
        TimeUnit::Nanoseconds => 1_000_000_000,
        TimeUnit::Microseconds => 1_000_000,
        TimeUnit::Milliseconds => 1000,
    };
    let numbers = times.cast(&DataType::Int64)?;
    let numbers = numbers.i64()?;
    let whole = |length: i64| numbers.iter().flatten().all(|value| value % length == 0);
    // The longest time that all are made of; of units that are longer than a part of a second, all are.
    let format = match () {
        () if !zoned && whole(86_400 * second) => "%Y-%m-%d",
        () if whole(second) => "%Y-%m-%d %H:%M:%S",
        () if whole((second / 1000).max(1)) => "%Y-%m-%d %H:%M:%S%.3f",
        () if whole((second / 1_000_000).max(1)) => "%Y-%m-%d %H:%M:%S%.6f",
        () => "%Y-%m-%d %H:%M:%S%.9f",
    };
    Ok(if zoned { format!("{format}%:z") } else { format.to_owned() })
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

/// Numbers writes, so that two to one place at the same time don't meet.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// How many links a path may lead through, as Linux has it.
const LINKS: usize = 40;

/// Writes a file under another name and renames it when it is whole: nobody sees half of it.
///
/// A link stays, and what it leads to is replaced, with the rights that it has. What is no file but a device or a pipe is
/// written to as it is: there is nothing to rename.
pub(crate) fn write_atomically(path: &Path, write: impl FnOnce(&mut File) -> PolarsResult<()>) -> Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|it| !it.is_file() && !it.is_dir()) {
        // By the path that was given: what /dev/stdout leads to has no name of its own.
        let mut file = OpenOptions::new().write(true).open(path).map_err(|error| failed(path, &error))?;
        return write(&mut file).map_err(|error| failed(path, &message::of_error(&error)));
    }
    let place = place_of(path);
    let (mut file, beside) = new_beside(&place).map_err(|error| failed(path, &error))?;
    let written = (|| -> Result<()> {
        write(&mut file).map_err(|error| failed(path, &message::of_error(&error)))?;
        file.sync_all().map_err(|error| failed(path, &error))?;
        if let Some(old) = old.filter(Metadata::is_file) {
            fs::set_permissions(&beside, old.permissions()).map_err(|error| failed(path, &error))?;
        }
        fs::rename(&beside, &place).map_err(|error| failed(path, &error))
    })();
    if written.is_err() {
        // The error to tell is the first one.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the folder of a place, under a name that nobody else has. Processes of two containers that share the
/// folder may have one number, and a killed one leaves its file behind.
fn new_beside(place: &Path) -> std::io::Result<(File, PathBuf)> {
    loop {
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let beside = place.with_file_name(format!(".raskt-{}-{number}.part", std::process::id()));
        match File::create_new(&beside) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (file, beside)),
        }
    }
}

/// Where a path leads to, if it is a link.
fn place_of(path: &Path) -> PathBuf {
    let mut place = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(next);
    }
    place
}

/// An error that names the place that the user gave, not the hidden folder in which files wait to be moved there.
fn failed(path: &Path, error: &dyn std::fmt::Display) -> FrameError {
    let hidden = |part: &Component<'_>| part.as_os_str().to_string_lossy().starts_with(".raskt-");
    let shown: PathBuf = path.components().filter(|part| !hidden(part)).collect();
    let words = error.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    FrameError::Io(format!("`{}` can't be written: {words}", shown.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        for (value, expected) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (1e-5, "1e-05"),
            (1e300, "1e+300"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(float_text(value), expected);
        }
        assert_eq!(single_text(0.1), "0.1");
        assert_eq!(single_text(16_777_216.0), "1.6777216e+07");
    }

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
        let hidden = folder.path().join("nowhere/.raskt-12/a.csv");
        let told = write_atomically(&hidden, |_| Ok(())).unwrap_err().to_string();
        assert!(told.contains("nowhere/a.csv` can't be written: No such file or directory"), "{told}");
        assert!(!told.contains("os error"), "{told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_that_another_process_has_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let taken: Vec<PathBuf> = (0..2000)
            .map(|number| folder.path().join(format!(".raskt-{}-{number}.part", std::process::id())))
            .collect();
        taken.iter().for_each(|path| fs::write(path, "of another one").unwrap());
        let path = folder.path().join("a.csv");
        write_atomically(&path, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(taken.iter().all(|path| fs::read_to_string(path).unwrap() == "of another one"));
    }

    #[test]
    #[cfg(unix)]
    fn links_and_rights_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "old").unwrap();
        fs::set_permissions(at("real"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", at("link")).unwrap();
        symlink(at("link"), at("link of a link")).unwrap();
        write_atomically(&at("link of a link"), |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(at("real")).unwrap(), "new");
        assert_eq!(fs::metadata(at("real")).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        symlink("nothing yet", at("dangling")).unwrap();
        write_atomically(&at("dangling"), |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(at("nothing yet")).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_is_written_to_and_stays_one() {
        let full = Path::new("/dev/full");
        let before = fs::metadata(full).unwrap();
        assert!(!before.is_file());
        let failed = write_atomically(full, |file| Ok(file.write_all(b"rows")?));
        assert!(failed.unwrap_err().to_string().contains("No space left"));
        assert!(!fs::metadata(full).unwrap().is_file());
    }
}
