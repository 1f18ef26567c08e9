//! Writes bytes that readers take, for fuzzers to begin with: `cargo run -p raskt-fuzz --example corpus -- FOLDER [READER]`.

use raskt_fuzz::{Chance, readers};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder is named"));
    let only = arguments.next();
    for reader in readers().into_iter().filter(|reader| only.as_ref().is_none_or(|only| only == reader.name)) {
        let folder = folder.join(reader.name);
        std::fs::create_dir_all(&folder)?;
        let mut chance = Chance::new(0);
        for at in 0..200 {
            if let Some(bytes) = (reader.some)(&mut chance) {
                std::fs::write(folder.join(format!("seed-{at}")), bytes)?;
            }
        }
    }
    Ok(())
}
