//! Copies strides of another process's memory, by two threads where it is much.

use super::mapping::{populate, use_small_pages};
use super::pages::{Pages, time_of_thread};
use super::peer_memory::PeerMemory;
use raskt_sync::Mutex;
use std::io;
use std::ops::Range;

/// Strides end where as much begins, so that no large page belongs to two. After each is seen whether anybody still waits.
const STRIDE_BYTES: usize = 2 << 20;
/// For fewer bytes there is no second thread.
const HELPED_BYTES_MIN: usize = 32 << 20;

/// Where bytes come from, and where they go.
type Stride<'a> = (u64, &'a mut [u8]);

struct Work<'a, F> {
    strides: std::vec::IntoIter<Stride<'a>>,
    pages: Pages,
    goes_on: F,
    failed: Option<io::Error>,
}

/// Fills `room`, at each of these ranges with what begins at an address of the other process. `goes_on` is told after each stride, and
/// says whether there is to be another.
pub(super) fn copy<F>(
    memory: &PeerMemory,
    room: &mut [u8],
    places: &[(u64, Range<usize>)],
    goes_on: F,
) -> io::Result<()>
where
    F: FnMut(usize) -> bool + Send,
{
    let is_much = room.len() >= HELPED_BYTES_MIN;
    let strides = cut(room, places).into_iter();
    let work = Mutex::new(Work { strides, pages: Pages::new(), goes_on, failed: None });
    std::thread::scope(|scope| {
        if is_much {
            // Where the system gives no thread, it goes without.
            let _ =
                std::thread::Builder::new().name("raskt-copy".into()).spawn_scoped(scope, || work_on(memory, &work));
        }
        work_on(memory, &work);
    });
    work.into_inner().failed.map_or(Ok(()), Err)
}

fn work_on<F: FnMut(usize) -> bool>(memory: &PeerMemory, work: &Mutex<Work<'_, F>>) {
    let next = || {
        let mut work = work.lock();
        let stride = if work.failed.is_none() { work.strides.next() } else { None }?;
        let is_small = work.pages.choose_small(stride.1.len());
        Some((stride, is_small))
    };
    while let Some(((from, place), is_small)) = next() {
        let start = time_of_thread();
        if is_small {
            use_small_pages(place);
            populate(place);
        }
        let read = memory.read(from, place);
        let took = time_of_thread().saturating_sub(start);
        work.lock().done(is_small, place.len(), took, read);
    }
}

impl<F: FnMut(usize) -> bool> Work<'_, F> {
    fn done(&mut self, is_small: bool, bytes: usize, took: std::time::Duration, read: io::Result<()>) {
        if self.failed.is_some() {
            return;
        }
        self.pages.took(is_small, bytes, took);
        let goes_on = read.map(|()| (self.goes_on)(bytes));
        self.failed = match goes_on {
            Ok(true) => None,
            Ok(false) => Some(io::ErrorKind::Interrupted.into()),
            Err(error) => Some(error),
        };
    }
}

/// The places in order, each as strides.
fn cut<'a>(room: &'a mut [u8], places: &[(u64, Range<usize>)]) -> Vec<Stride<'a>> {
    let (mut left, mut at, mut strides) = (room, 0, vec![]);
    let mut until = |end: usize| {
        let (before, behind) = std::mem::take(&mut left).split_at_mut(end - at);
        (left, at) = (behind, end);
        before
    };
    for (from, range) in places {
        until(range.start);
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min((start + 1).next_multiple_of(STRIDE_BYTES));
            strides.push((from.saturating_add((start - range.start) as u64), until(end)));
            start = end;
        }
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_are_all_of_the_places_and_end_at_multiples() {
        let mut room = vec![0; 4 * STRIDE_BYTES];
        let (whole, end) = (STRIDE_BYTES, 3 * STRIDE_BYTES);
        let places = [(100, 0..70), (5000, 128..128), (7000, 128..end + 5), (u64::MAX - 4, end + 64..4 * STRIDE_BYTES)];
        let found: Vec<_> = cut(&mut room, &places).iter().map(|(from, place)| (*from, place.len())).collect();
        let at = |strides: usize| 7000 + (strides * STRIDE_BYTES) as u64 - 128;
        assert_eq!(found[..4], [(100, 70), (7000, whole - 128), (at(1), whole), (at(2), whole)]);
        assert_eq!(found[4..], [(at(3), 5), (u64::MAX - 4, whole - 64)]);
    }
}
