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
            Words => &[],
            Decisions => &[Words],
            // Neither side knows the other.
            Effects | Collections => &[Words, Decisions],
            Facade => &[Words, Effects, Collections],
            Faces | Tools => &[Words, Decisions, Effects, Collections],
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
    ("raskt-futures", Effects),
    ("raskt-store", Effects),
    ("raskt-sync", Effects),
    ("raskt-array", Collections),
    ("raskt-blas", Collections),
    ("raskt-frame", Collections),
    ("raskt-learn", Collections),
    ("raskt", Facade),
    ("raskt-cli", Faces),
    ("raskt-dashboard", Faces),
    ("raskt-python", Faces),
    ("raskt-fuzz", Tools),
    ("xtask", Tools),
];

/// Imports within a layer: (who, whom).
pub const SIDEWAYS: &[(&str, &str)] = &[
    ("raskt-simulate", "raskt-schedule"),
    ("raskt-array", "raskt-blas"),
    ("raskt-frame", "raskt-array"),
    ("raskt-learn", "raskt-array"),
    ("raskt-learn", "raskt-frame"),
    ("raskt-execute", "raskt-store"),
    ("raskt-execute", "raskt-sync"),
    ("raskt-store", "raskt-sync"),
    ("raskt-cluster", "raskt-store"),
    ("raskt-cuda", "raskt-store"),
    ("raskt-cluster", "raskt-execute"),
    ("raskt-cluster", "raskt-sync"),
    ("raskt-futures", "raskt-cluster"),
    ("raskt-futures", "raskt-sync"),
    ("raskt-cli", "raskt-dashboard"),
    // The command of the wheel is the same one, in the user's interpreter.
    ("raskt-python", "raskt-cli"),
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
    // The engine of frames has one of its own, and has to be told where another is.
    ("tokio", &["raskt-cluster", "raskt-dashboard", "raskt-frame"]),
    ("tokio*", &["raskt-cluster", "raskt-dashboard"]),
    ("rustls*", &["raskt-cluster"]),
    ("rcgen", &["raskt-cluster"]),
    ("ring", &["raskt-cluster"]),
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

/// What each crate of plain data or pure decisions may name in its manifest, beside crates of the workspace. Whoever adds
/// one sees to it that it is free of clocks, threads, sockets, files and chance.
pub const ALLOWED: &[(&str, &[&str])] = &[
    ("raskt-config", &["figment", "serde", "thiserror"]),
    ("raskt-graph", &["hashbrown", "serde", "smallvec", "thiserror"]),
    ("raskt-value", &["bytemuck", "ndarray", "num-complex", "postcard", "serde", "smallvec", "thiserror"]),
    ("raskt-schedule", &["serde", "smallvec", "thiserror"]),
    ("raskt-simulate", &[]),
];

/// What the sources of all of them may name of the standard library: these, and what is in them.
pub const ALLOWED_PATHS: &[&str] = &[
    "any",
    "array",
    "borrow",
    "cell",
    "cmp",
    "collections::BTreeMap",
    "collections::BTreeSet",
    "collections::BinaryHeap",
    "collections::VecDeque",
    "collections::binary_heap",
    "collections::btree_map",
    "collections::btree_set",
    "collections::vec_deque",
    "convert",
    "error",
    "fmt",
    "hash",
    "iter",
    "marker",
    "mem",
    "num",
    "ops",
    "option",
    "primitive",
    "rc",
    "result",
    "slice",
    "str",
    "string",
    "sync::Arc",
    "sync::Weak",
    "vec",
];

/// What single crates may name beside these, and why.
pub const MORE_PATHS: &[(&str, &str)] = &[
    // Values are memory that several hold, and that others than Rust have made.
    ("raskt-value", "ptr"),
    ("raskt-value", "sync::atomic"),
    // Paths are names; nobody looks there.
    ("raskt-config", "path"),
    // What the reader of files was told.
    ("raskt-config", "io::Error"),
    // What the machines assert of themselves is a finding.
    ("raskt-simulate", "panic"),
];

/// Macros that write to the world, or keep something beside it.
pub const WRITING_MACROS: &[&str] = &["dbg", "eprint", "eprintln", "print", "println", "thread_local"];

/// Files that may name anything, and why.
pub const IMPURE_FILES: &[&str] = &[
    // Settings are read from files and variables; everything else of that crate works on what was read.
    "raskt-config/src/sources.rs",
    // A switch that only builds for the tests of the simulator have.
    "raskt-schedule/src/planted.rs",
];

/// Lines of a `lib.rs`, at most: a screen.
pub const SCREEN: usize = 90;

/// Lines of code of any other file, at most; neither comments nor blank lines count.
pub const CODE_LINES: usize = 350;

/// Files that are longer, and how long they may be: a number that may only become less.
pub const LONG_FILES: &[(&str, usize)] = &[
    ("crates/raskt-array/src/blocks/carry.rs", 356),
    ("crates/raskt-execute/src/tests.rs", 414),
    ("crates/raskt-execute/src/tests/memory.rs", 401),
    ("crates/raskt-frame/src/expression/elementwise.rs", 479),
    ("crates/raskt-frame/src/plan/frame.rs", 371),
];

/// Files of each crate that don't open by saying what they are about, at most: a number that may only become less.
pub const UNTOLD_FILES: &[(&str, usize)] = &[("raskt-array", 35), ("raskt-frame", 44), ("raskt-python", 41)];

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

/// Crates whose files don't need each other in circles.
pub const WITHOUT_CIRCLES: &[&str] =
    &["raskt-cluster", "raskt-execute", "raskt-futures", "raskt-graph", "raskt-schedule", "raskt-store", "raskt-sync"];
