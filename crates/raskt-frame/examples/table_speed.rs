//! How long a table of about 200 MB takes to become pieces of memory, and to be made of them again.
//!
//! `cargo run --release -p raskt-frame --example table_speed [FILE]`; a file gets the first rows, for other readers of Arrow.

use raskt_frame::FrameTable;
use raskt_frame::polars::prelude::*;
use raskt_value::{Buffer, Encoded, Table, Value};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Instant;

const ROWS: usize = 2_500_000;
/// The best of so many.
const TIMES: usize = 7;

fn table() -> DataFrame {
    let numbers: Vec<i64> = (0..ROWS as i64).map(|at| at * 7919 % 1_000_003).collect();
    let floats: Vec<Option<f64>> = numbers.iter().map(|at| (at % 11 != 0).then_some(*at as f64 * 0.5)).collect();
    let short: Vec<Option<String>> =
        numbers.iter().map(|at| (at % 13 != 0).then(|| format!("key {}", at % 997))).collect();
    let long: Vec<String> = numbers.iter().map(|at| format!("a text of some length, number {at}")).collect();
    let truths: Vec<bool> = numbers.iter().map(|at| at % 3 == 0).collect();
    let columns = vec![
        Series::new("number".into(), numbers).into(),
        Series::new("float".into(), floats).into(),
        Series::new("short".into(), short).into(),
        Series::new("long".into(), long).into(),
        Series::new("truth".into(), truths).into(),
    ];
    DataFrame::new(ROWS, columns).expect("the columns are of one length")
}

/// The pieces one after the other, from a multiple of 64 on: as they come back from a file.
fn together(pieces: &[Buffer]) -> Buffer {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(#[expect(dead_code, reason = "only its address is read")] [u8; 64]);
    let bytes: usize = pieces.iter().map(Buffer::len).sum();
    let mut lines = vec![Line([0; 64]); bytes.div_ceil(64)];
    let start = NonNull::from(lines.as_mut_slice()).cast::<u8>();
    let mut at = 0;
    for piece in pieces {
        // SAFETY: the pieces fit in, one after the other, and nobody else has the lines.
        unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), start.add(at).as_ptr(), piece.len()) };
        at += piece.len();
    }
    // SAFETY: the bytes lie in the lines, which the buffer keeps alive.
    unsafe { Buffer::from_raw(start, bytes, Arc::new(lines)) }
}

fn bytes_of(piece: &Buffer) -> &[u8] {
    // SAFETY: a buffer's bytes are there and don't change while it is.
    unsafe { std::slice::from_raw_parts(piece.as_ptr(), piece.len()) }
}

fn best<T>(what: &str, mut work: impl FnMut() -> T) -> T {
    let mut least = f64::INFINITY;
    let mut found = None;
    for _ in 0..TIMES {
        let start = Instant::now();
        found = Some(work());
        least = least.min(start.elapsed().as_secs_f64());
    }
    println!("{what:<40} {:>10.3} ms", least * 1000.0);
    found.expect("it was done")
}

fn main() {
    let frame = table();
    if let Some(path) = std::env::args().nth(1) {
        let pieces = FrameTable::from(frame.head(Some(1000))).to_ipc().expect("it can be written");
        let bytes: Vec<u8> = pieces.iter().flat_map(|piece| bytes_of(piece).to_vec()).collect();
        std::fs::write(path, bytes).expect("the file can be written");
    }
    for (what, frame) in [("whole", frame.clone()), ("slice", frame.slice(1_000_003, ROWS / 2))] {
        let table = FrameTable::from(frame);
        let codec = table.codec().expect("tables can be written");
        let value = Value::from(table);
        let encode = || codec.encode(&value).unwrap_or_else(|_| panic!("it can be written"));
        let Encoded { pieces, decoder } = best(&format!("{what}: as pieces of memory"), encode);
        let bytes = best(&format!("{what}: copied together"), || together(&pieces));
        println!("{what}: {} bytes in {} pieces", bytes.len(), pieces.len());
        best(&format!("{what}: read by another process"), || FrameTable::from_ipc(&bytes).expect("it is a table"));
        best(&format!("{what}: made of memory again"), || {
            decoder.decode(bytes.clone()).expect("it is what was written")
        });
    }
}
