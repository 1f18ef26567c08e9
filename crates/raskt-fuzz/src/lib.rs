//! Bytes that are nearly right, for everything that reads what others wrote: frames, greetings, messages, graphs, kernels, values,
//! journals.
//!
//! A [`Reader`] is a function of any bytes that panics where a law is broken: what is read is an error or a value, a value is the same
//! when it has been written and read again, and can be used. Readers of the cluster stand where what they try does
//! (`raskt-cluster/src/testing`); those of kernels and values here, since all that they need is public. How much memory a reader may
//! take follows from how many bytes it was given ([`Reader`]s are run by [`try_out`], which counts).
//!
//! CI runs [`mutated`] bytes by seeds (`tests/readers.rs`; `RASKT_FUZZ_SECONDS` for longer); `make fuzz` has libFuzzer look for others
//! (`fuzz/`, a workspace of its own).

mod counting;
mod kernels;
mod mutated;
mod values;

pub use counting::{Counting, peak_of};
pub use mutated::mutated;
pub use raskt_cluster::testing::{Chance, Reader};

/// Memory that any reader may take.
const BASE_BYTES: usize = 12 << 20;
/// What a reader of frames may: a frame may be compressed, and says how long it is, which is bounded.
const FRAMES_BYTES: usize = 256 << 20;
/// And so much for each byte that it was given: what is a byte where it travels may be a small struct in memory, several times over
/// since it is written and read again.
const BYTES_PER_BYTE: usize = 4096;

/// Everything that reads bytes.
pub fn readers() -> Vec<Reader> {
    let mut readers = raskt_cluster::testing::readers();
    readers.push(Reader { name: "array_kernels", read: kernels::read, some: kernels::of_arrays });
    readers.push(Reader { name: "frame_kernels", read: kernels::read, some: kernels::of_frames });
    readers.push(Reader { name: "values", read: values::read, some: values::some });
    readers
}

/// Has the reader of this name read these bytes.
///
/// # Panics
/// If a law is broken, or there is no such reader.
pub fn run(name: &str, bytes: &[u8]) {
    let readers = readers();
    let reader = readers.iter().find(|reader| reader.name == name);
    try_out(reader.unwrap_or_else(|| panic!("there is no reader `{name}`")), bytes);
}

/// Has a reader read these bytes, and looks how much memory it takes, if [`Counting`] is what gives it.
///
/// # Panics
/// If a law is broken.
pub fn try_out(reader: &Reader, bytes: &[u8]) {
    let taken = peak_of(|| (reader.read)(bytes));
    let base = if reader.name == "frames" { FRAMES_BYTES } else { BASE_BYTES };
    let most = base + BYTES_PER_BYTE * bytes.len();
    assert!(
        taken <= most,
        "`{}` took {taken} bytes of memory for {} bytes; {most} are allowed",
        reader.name,
        bytes.len()
    );
}
