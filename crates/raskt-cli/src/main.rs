//! The plain `raskt`: a scheduler, and workers for native work, without Python.

use raskt_cli::{NativeHost, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    run(std::env::args_os(), &NativeHost::of_arrays()).into()
}
