#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| raskt_fuzz::run("introductions", bytes));
