//! What processes run on, and where they differ.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Names of parts (raskt, Python, NumPy …) with their versions, as each process says them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions(pub Vec<(String, String)>);

/// Parts that aren't the same everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The processes, as people call them.
    pub peers: Vec<String>,
    /// For each part that differs its name, and the version of each process; none where it is missing.
    pub rows: Vec<(String, Vec<Option<String>>)>,
}

/// Compares what several processes run on; nothing if they agree.
pub fn mismatches(peers: &[(&str, &Versions)]) -> Option<Mismatch> {
    let tables: Vec<BTreeMap<&str, &str>> = peers
        .iter()
        .map(|(_, Versions(list))| list.iter().map(|(name, version)| (&**name, &**version)).collect())
        .collect();
    let names: BTreeSet<&str> = tables.iter().flat_map(|table| table.keys().copied()).collect();
    let row = |name: &str| -> Vec<Option<String>> {
        tables.iter().map(|table| table.get(name).map(|version| (*version).to_owned())).collect()
    };
    let rows: Vec<_> = (names.into_iter().map(|name| (name.to_owned(), row(name))))
        .filter(|(_, versions)| versions.windows(2).any(|pair| pair[0] != pair[1]))
        .collect();
    let peers = peers.iter().map(|(peer, _)| (*peer).to_owned()).collect();
    (!rows.is_empty()).then_some(Mismatch { peers, rows })
}

/// A table: a line for each part, a column for each process.
impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = std::iter::once("").chain(self.peers.iter().map(String::as_str)).collect();
        let rows = self.rows.iter().map(|(name, versions)| {
            let versions = versions.iter().map(|version| version.as_deref().unwrap_or("-"));
            std::iter::once(&**name).chain(versions).collect()
        });
        let lines: Vec<Vec<&str>> = std::iter::once(head).chain(rows).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=self.peers.len()).map(width).collect();
        for (at, line) in lines.iter().enumerate() {
            let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            if at > 0 {
                writeln!(formatter)?;
            }
            formatter.write_str(cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}
