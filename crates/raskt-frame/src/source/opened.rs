//! Files as they were when a frame was made of them: types and numbers of rows are those of that moment, so that files
//! that were written since can't be read as part of it.

use crate::error::{FrameError, Result};
use crate::expression::content_of;
use crate::message::DAMAGED;
use crate::plan::{Node, Operator};
use crate::stage::input_of_partition;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Files, and what the file system told of each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Opened(Arc<[(PathBuf, Option<State>)]>);

/// What the file system tells of a file: other content, another state.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    bytes: u64,
    /// When it was written, from 1970 on.
    written: Option<Duration>,
}

impl State {
    fn of(file: &Path) -> std::io::Result<Self> {
        let about = file.metadata()?;
        Ok(Self { bytes: about.len(), written: since_1970(about.modified().ok()) })
    }
}

fn since_1970(time: Option<SystemTime>) -> Option<Duration> {
    time?.duration_since(SystemTime::UNIX_EPOCH).ok()
}

impl Opened {
    /// The files as they are now.
    pub(super) fn now(files: &[PathBuf]) -> Self {
        Self(files.iter().map(|file| (file.clone(), State::of(file).ok())).collect())
    }

    /// The hash of the names of the files and of their states.
    pub(super) fn digest(&self) -> u128 {
        content_of(&self.0.iter().collect::<Vec<_>>())
    }

    /// A file whose name isn't text, which can't be told to others.
    pub(crate) fn nameless(&self) -> Option<&Path> {
        self.0.iter().map(|(file, _)| &**file).find(|file| file.to_str().is_none())
    }

    /// What is wrong with what has come from elsewhere, and is to be about these files, as many as are said.
    pub(crate) fn check_names(&self, files: &[PathBuf], count: usize) -> Result<(), String> {
        let names = self.0.iter().map(|(file, _)| file);
        match files.len() == count && count > 0 && names.eq(files) {
            true => Ok(()),
            false => Err(format!("{} files for {count} partitions, or other ones than were opened", files.len())),
        }
    }

    /// File `partition`, or all of them.
    fn part(&self, partition: Option<usize>) -> &[(PathBuf, Option<State>)] {
        match partition {
            Some(at) => &self.0[at..=at],
            None => &self.0,
        }
    }
}

/// An error unless the file is what it was.
fn check(file: &Path, state: Option<State>) -> Result<()> {
    match State::of(file) {
        Ok(now) if state.is_none_or(|state| state == now) => Ok(()),
        Ok(_) => Err(FrameError::Io(format!(
            "the file `{}` has been written since it was opened: open it again",
            file.display()
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(FrameError::NotFound(format!("the file `{}` has been removed since it was opened", file.display())))
        }
        Err(error) => Err(FrameError::Io(format!("the file `{}` can't be read: {error}", file.display()))),
    }
}

/// An error unless all files that computing `node` reads are what they were when they were opened.
pub fn check_files(node: &Arc<Node>) -> Result<()> {
    FilesRead::of([node], None).check()
}

/// The files that a query reads.
pub(crate) struct FilesRead<'a>(Vec<(&'a Opened, Option<usize>)>);

impl<'a> FilesRead<'a> {
    /// The files that computing `nodes` (or partition `at` of them) reads.
    pub(crate) fn of(nodes: impl IntoIterator<Item = &'a Arc<Node>>, at: Option<usize>) -> Self {
        let (mut found, mut seen) = (vec![], HashSet::new());
        let mut left: Vec<_> = nodes.into_iter().map(|node| (node, at)).collect();
        while let Some((node, at)) = left.pop() {
            if !seen.insert((node.digest, at)) {
                continue;
            }
            match (&node.operator, at) {
                (Operator::Csv(plan), _) => found.push((&plan.opened, at)),
                (Operator::Parquet(plan), _) => found.push((&plan.opened, at)),
                // Tasks of their own make these tables, and look at their files.
                (Operator::External(_), _) => {}
                (Operator::Concat { inputs }, Some(at)) => {
                    let (input, at) = input_of_partition(inputs, at);
                    left.push((input, Some(at)));
                }
                _ => left.extend(node.inputs().into_iter().map(|input| (input, at))),
            }
        }
        Self(found)
    }

    fn files(&self) -> impl Iterator<Item = &'a (PathBuf, Option<State>)> {
        self.0.iter().flat_map(|(opened, at)| opened.part(*at))
    }

    fn check(&self) -> Result<()> {
        self.files().try_for_each(|(file, state)| check(file, *state))
    }

    /// What `query` gives; an error that names a file if one was written or removed before it ended, or is damaged.
    pub(crate) fn during<T>(&self, query: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check()?;
        let found = query();
        if !matches!(found, Err(FrameError::Cancelled)) {
            self.check()?;
        }
        found.map_err(|error| match error.to_string() == DAMAGED && !self.0.is_empty() {
            true => FrameError::Io(self.damaged()),
            false => error,
        })
    }

    fn damaged(&self) -> String {
        let names: Vec<String> = self.files().map(|(file, _)| format!("`{}`", file.display())).collect();
        match &names[..] {
            [name] => format!("{name} is no Parquet file, or it is damaged"),
            [.., last] if names.len() <= 4 => {
                format!("one of {} and {last} is damaged", names[..names.len() - 1].join(", "))
            }
            _ => format!("one of {} and {} other files is damaged", names[..3].join(", "), names.len() - 3),
        }
    }
}
