#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| raskt_fuzz::run("from_worker", bytes));
