//! Who may import whom. `ARCHITECTURE.md` draws the same table and says why.

use Layer::*;

/// A floor of the building; imports point down only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Plain data.
    Words,
    /// Pure logic: no clock, thread, socket, file, unseeded chance.
    Decisions,
    /// Threads, memory, disk, sockets, devices.
    Effects,
    /// Arrays, frames, estimators.
    Collections,
    /// For Rust users: what the faces use, re-exported.
    Facade,
    /// Python, command line, dashboard: convert, call, convert back.
    Faces,
    /// Checks of the workspace itself.
    Tools,
}

impl Layer {
    /// The layers that a crate of this one may import from.
    pub fn imports(self) -> &'static [Layer] {
        match self {
            Words | Tools => &[],
            Decisions => &[Words],
            // Neither side knows the other.
            Effects | Collections => &[Words, Decisions],
            Facade => &[Words, Effects, Collections],
            Faces => &[Words, Decisions, Effects, Collections],
        }
    }

    /// Whether its crates must be free of clocks, threads, sockets and files.
    pub fn is_pure(self) -> bool {
        matches!(self, Words | Decisions)
    }
}

/// Every crate of the workspace.
pub const CRATES: &[(&str, Layer)] = &[
    ("raskt-config", Words),
    ("raskt-graph", Words),
    ("raskt-value", Words),
    ("raskt-schedule", Decisions),
    ("raskt-simulate", Decisions),
    ("raskt-cluster", Effects),
    ("raskt-cuda", Effects),
    ("raskt-execute", Effects),
    ("raskt-store", Effects),
    ("raskt-sync", Effects),
    ("raskt-array", Collections),
    ("raskt-frame", Collections),
    ("raskt-learn", Collections),
    ("raskt", Facade),
    ("raskt-cli", Faces),
    ("raskt-dashboard", Faces),
    ("raskt-python", Faces),
    ("xtask", Tools),
];

/// Imports within a layer: (who, whom).
pub const SIDEWAYS: &[(&str, &str)] = &[
    ("raskt-simulate", "raskt-schedule"),
    ("raskt-frame", "raskt-array"),
    ("raskt-learn", "raskt-array"),
    ("raskt-learn", "raskt-frame"),
    ("raskt-execute", "raskt-store"),
    ("raskt-execute", "raskt-sync"),
    ("raskt-store", "raskt-sync"),
    ("raskt-cluster", "raskt-store"),
    ("raskt-cuda", "raskt-store"),
    ("raskt-cluster", "raskt-execute"),
    ("raskt-cli", "raskt-dashboard"),
];

/// Heavy dependencies, each with the crates that may name it in their manifest. A name that ends in `*` stands for all
/// that begin so.
pub const HOMES: &[(&str, &[&str])] = &[
    // The face hands Arrow columns to Python by the C data interface, which `polars-arrow` implements.
    ("polars-arrow", &["raskt-frame", "raskt-python"]),
    ("polars*", &["raskt-frame"]),
    ("pyo3*", &["raskt-python"]),
    ("numpy", &["raskt-python"]),
    ("faer*", &["raskt-array"]),
    ("zarrs*", &["raskt-array"]),
    ("cudarc", &["raskt-cuda"]),
    ("nvml-wrapper", &["raskt-cuda"]),
    ("tokio*", &["raskt-cluster", "raskt-dashboard"]),
    ("rustls*", &["raskt-cluster"]),
    ("rcgen", &["raskt-cluster"]),
    ("axum*", &["raskt-dashboard"]),
    ("hyper*", &["raskt-dashboard"]),
    ("clap", &["raskt-cli"]),
];

/// What no crate of plain data or pure decisions may reach, by however many steps.
pub const IMPURE: &[&str] = &[
    "async-std",
    "axum*",
    "chrono",
    "crossbeam-channel",
    "cudarc",
    "faer*",
    "hyper*",
    "jiff",
    "mio",
    "numpy",
    "object_store",
    "polars*",
    "pyo3*",
    "rustls*",
    "smol",
    "socket2",
    "sysinfo",
    "tempfile",
    "time",
    "tokio*",
];

/// What the sources of those crates may not name, and why.
pub const IMPURE_PATHS: &[(&str, &str)] = &[
    ("std::env", "reads the environment"),
    ("std::fs", "touches files"),
    ("std::net", "opens sockets"),
    ("std::process", "starts processes"),
    ("std::thread", "runs threads"),
    ("Instant::now", "reads the clock"),
    ("SystemTime", "reads the clock"),
];

/// Files that may name them all the same, and why.
pub const IMPURE_FILES: &[&str] = &[
    // Settings are read from files and variables; everything else of that crate works on what was read.
    "raskt-config/src/sources.rs",
];

/// The layer of a crate.
pub fn layer(name: &str) -> Option<Layer> {
    CRATES.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, layer)| *layer)
}

/// Whether `name` is what `pattern` stands for.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
