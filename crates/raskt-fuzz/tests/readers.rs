//! Everything that reads bytes, with bytes that are right, and with such as were changed, cut, put together of several, and lie about
//! lengths. `RASKT_FUZZ_SECONDS=600` goes on with other seeds for so long; `RASKT_FUZZ_ONLY=frames` tries one reader alone.

use raskt_fuzz::{Chance, Counting, Reader, mutated, readers, try_out};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: Counting = Counting;

/// Changed bytes that each reader gets.
const TIMES: u64 = 4000;

fn chosen() -> Vec<Reader> {
    let only = std::env::var("RASKT_FUZZ_ONLY").ok();
    readers().into_iter().filter(|reader| only.as_ref().is_none_or(|only| only == reader.name)).collect()
}

/// How long to go on, if it was said.
fn lasts() -> Option<Duration> {
    let seconds = std::env::var("RASKT_FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("RASKT_FUZZ_SECONDS is a number of seconds")))
}

/// What a reader is given for a seed.
fn bytes(reader: &Reader, seed: u64) -> Option<Vec<u8>> {
    let mut chance = Chance::new(seed);
    let (one, other) = ((reader.some)(&mut chance)?, (reader.some)(&mut chance)?);
    Some(mutated(&one, &other, &mut chance))
}

fn tried(reader: &Reader, bytes: &[u8], seed: &str) {
    if catch_unwind(AssertUnwindSafe(|| try_out(reader, bytes))).is_err() {
        let path = std::env::temp_dir().join(format!("raskt-fuzz-{}-{seed}", reader.name));
        let kept = std::fs::write(&path, bytes);
        panic!("`{}`, {seed}: {} bytes broke a law (kept as {}: {kept:?})", reader.name, bytes.len(), path.display());
    }
}

#[test]
fn what_is_right_is_taken() {
    for reader in chosen() {
        let mut chance = Chance::new(1);
        let right: Vec<_> = (0..300).filter_map(|_| (reader.some)(&mut chance)).collect();
        assert!(right.len() > 100, "`{}` has too little that is right", reader.name);
        right.iter().enumerate().for_each(|(at, bytes)| tried(&reader, bytes, &format!("right-{at}")));
    }
}

#[test]
fn what_was_changed_breaks_no_law() {
    let start = Instant::now();
    let mut seed = 0;
    loop {
        for reader in chosen() {
            for seed in seed..seed + TIMES {
                if let Some(bytes) = bytes(&reader, seed) {
                    tried(&reader, &bytes, &format!("seed-{seed}"));
                }
            }
        }
        seed += TIMES;
        if lasts().is_none_or(|lasts| start.elapsed() > lasts) {
            return;
        }
    }
}

/// libFuzzer tries all of them (`make fuzz`).
#[test]
fn every_reader_is_a_target() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for Reader { name, .. } in readers() {
        let target = std::fs::read_to_string(folder.join(format!("targets/{name}.rs"))).unwrap();
        assert!(target.contains(&format!("run(\"{name}\", bytes)")), "{target}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} isn't in the manifest");
    }
}
