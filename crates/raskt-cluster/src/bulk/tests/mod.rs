//! Memory that is lent and read, and work that takes long: each side alone, with a peer that does as the test says.

mod lender;
mod lending;
mod line;
mod reading;
mod working;

use super::BulkError;
use super::step::Step;
use super::wire::{Arrival, Wire};
use crate::stream::Stream;
use crate::testing::Chance;
use bytes::{Bytes, BytesMut};
use std::future::{Future, poll_fn};
use std::time::Duration;
use tokio::net::UnixStream;

/// Nothing in a test takes this long, unless it goes wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// More than what is too small to be lent.
const BYTES: usize = (3 << 20) + 77;

fn noise(seed: u64, bytes: usize) -> Bytes {
    let mut chance = Chance::new(seed);
    (0..bytes.div_ceil(8)).flat_map(|_| chance.next_number().to_le_bytes()).take(bytes).collect::<Vec<u8>>().into()
}

/// A peer that says what the test has it say.
struct Puppet(Wire);

impl Puppet {
    /// And the other end of its connection.
    fn new() -> (Self, Stream) {
        let (own, other) = UnixStream::pair().unwrap();
        (Self(Wire::new(Stream::Unix(own), BytesMut::new())), Stream::Unix(other))
    }

    async fn say(&mut self, step: Step) {
        self.0.push(&step, None).unwrap();
        poll_fn(|cx| self.0.poll_write(cx)).await.unwrap();
    }

    async fn say_chunk(&mut self, step: Step, chunk: Bytes) {
        self.0.push(&step, Some(chunk)).unwrap();
        poll_fn(|cx| self.0.poll_write(cx)).await.unwrap();
    }

    async fn hear(&mut self) -> Result<Step, BulkError> {
        let Arrival { step, .. } = poll_fn(|cx| self.0.poll_next(cx, &mut |_, _| None)).await?;
        Ok(step)
    }
}

/// Runs a test, which ends.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await }).unwrap();
}
