//! Checks that CI runs and clippy can't: `cargo xtask layers`.
//!
//! `layers` compares the workspace with the table of crates in `ARCHITECTURE.md`: who may import whom, which crate is
//! the one home of a heavy dependency, and what must never be reached from the crates that hold plain data and pure
//! decisions. It looks into the sources as well: what the pure crates name of the standard library has to be on a list, and
//! no file may be too long, nor need one that needs it. Each violation is printed as a sentence.

mod circles;
mod layers;
mod paths;
mod purity;
mod sizes;
mod source;
mod table;
mod workspace;

use std::process::ExitCode;
use workspace::Workspace;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("layers") => check_layers(),
        _ => {
            eprintln!("usage: cargo xtask layers");
            ExitCode::from(2)
        }
    }
}

fn check_layers() -> ExitCode {
    let workspace = match Workspace::of_cargo_metadata() {
        Ok(workspace) => workspace,
        Err(error) => {
            eprintln!("layers can't be checked: {error}");
            return ExitCode::from(2);
        }
    };
    let checks = [layers::check, purity::check, sizes::check, circles::check];
    let violations: Vec<_> = checks.iter().flat_map(|check| check(&workspace)).collect();
    violations.iter().for_each(|violation| eprintln!("{violation}"));
    if violations.is_empty() {
        println!("{} crates keep to their layers.", workspace.crates.len());
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}
