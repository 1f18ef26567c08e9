//! Records of tasks, by pages of neighbours.

use crate::WorkerId;
use crate::task::{Record, Tag};
use std::collections::BTreeMap;
use std::ops::Range;

/// Records of the tasks of one layer, a page of neighbours at a time.
///
/// A page comes into being when something first happens to one of its tasks, and goes when the last of those that are
/// needed is released. So memory follows the work in flight and not the size of the layer.
#[derive(Debug)]
pub(crate) struct Pages {
    /// The first ones, up to the last that anything has happened to.
    near: Vec<Page>,
    /// Those beyond: who asks for the last task of a layer that has more than memory could list pays for that one.
    far: BTreeMap<u64, Page>,
    /// Tasks of the layer: of a small one, a page is no longer than that.
    len: u64,
    #[cfg(test)]
    looked_at: std::cell::Cell<u64>,
}

/// Tasks of one page.
const PAGE: u64 = 512;

/// Pages that stand in a list: those of half a thousand million tasks.
const NEAR: u64 = if cfg!(test) { 4 } else { 1 << 20 };

#[derive(Debug, Default)]
enum Page {
    /// Nothing has happened yet.
    #[default]
    Untouched,
    Live(Live),
    /// Every needed task is released.
    Released,
}

#[derive(Debug)]
struct Live {
    records: Box<[Record]>,
    /// Needed tasks that are not released.
    left: u32,
    /// Workers that may hold a result of one of them, a bit for all whose numbers are alike: those that never did
    /// needn't be looked for here.
    holders: u64,
}

/// The bit of a worker in [`Live::holders`].
fn bit(worker: WorkerId) -> u64 {
    1 << (worker.0 % u64::BITS)
}

impl Pages {
    /// Those of a layer of `len` tasks.
    pub fn new(len: u64) -> Self {
        Self {
            near: vec![],
            far: BTreeMap::new(),
            len,
            #[cfg(test)]
            looked_at: std::cell::Cell::default(),
        }
    }

    fn page(&self, page: u64) -> Option<&Page> {
        if page < NEAR { self.near.get(page as usize) } else { self.far.get(&page) }
    }

    fn page_mut(&mut self, page: u64) -> Option<&mut Page> {
        if page < NEAR { self.near.get_mut(page as usize) } else { self.far.get_mut(&page) }
    }

    /// The page with this number, which comes into being with those before it.
    fn new_page(&mut self, page: u64) -> &mut Page {
        if page >= NEAR {
            return self.far.entry(page).or_default();
        }
        if page as usize >= self.near.len() {
            self.near.resize_with(page as usize + 1, Page::default);
        }
        &mut self.near[page as usize]
    }

    /// All pages that are there, by number.
    fn all(&self) -> impl Iterator<Item = (u64, &Page)> {
        self.all_from(0)
    }

    fn all_from(&self, page: u64) -> impl Iterator<Item = (u64, &Page)> {
        // Those before it aren't walked through, as they would be behind a `zip`.
        let near = self.near.iter().enumerate().skip(page.min(NEAR) as usize);
        let near = near.map(|(page, found)| (page as u64, found));
        near.chain(self.far.range(page..).map(|(&page, found)| (page, found)))
    }

    pub fn get(&self, index: u64) -> Record {
        match self.page(index / PAGE) {
            None | Some(Page::Untouched) => Record::default(),
            Some(Page::Live(live)) => live.records[(index % PAGE) as usize],
            Some(Page::Released) => Record::RELEASED,
        }
    }

    /// The record of `index`, to be changed; `needed` counts the needed tasks of a page that is opened. Whoever releases a
    /// task says so by [`Self::released`], and whoever takes one up again by [`Self::revived`].
    pub fn open(&mut self, index: u64, needed: impl FnOnce(Range<u64>) -> u64) -> &mut Record {
        let len = self.len;
        let page = self.new_page(index / PAGE);
        if !matches!(page, Page::Live(_)) {
            let start = index / PAGE * PAGE;
            let end = (start + PAGE).min(len);
            page.come_alive((end - start) as usize, || needed(start..end) as u32);
        }
        match page {
            Page::Live(live) => &mut live.records[(index % PAGE) as usize],
            _ => unreachable!("the page was made live in the lines before"),
        }
    }

    /// The record of `index`, if its page is live.
    pub fn get_mut(&mut self, index: u64) -> Option<&mut Record> {
        match self.page_mut(index / PAGE)? {
            Page::Live(live) => Some(&mut live.records[(index % PAGE) as usize]),
            _ => None,
        }
    }

    /// The first task of `range`, and where its neighbours end that stand as it does: where it waits or runs, in
    /// whatever way; where its result is there, with the same worker, and as much or as little alone and unread.
    pub fn alike(&self, range: Range<u64>) -> (Record, u64) {
        let page = range.start / PAGE;
        let end = range.end.min((page + 1) * PAGE);
        match self.page(page) {
            Some(Page::Live(live)) => {
                let first = live.records[(range.start % PAGE) as usize];
                let records = &live.records[(range.start % PAGE) as usize..][..(end - range.start) as usize];
                let alike = records.iter().take_while(|record| record.stands_like(&first)).count();
                (first, range.start + alike as u64)
            }
            Some(Page::Released) => (Record::RELEASED, end),
            Some(Page::Untouched) => (Record::default(), end),
            // Beyond all pages there is nothing to look at.
            None if page >= self.near.len() as u64 && self.far.is_empty() => (Record::default(), range.end),
            None => (Record::default(), end),
        }
    }

    /// Whether nothing has happened yet to any task of the pages that `range` lies in.
    pub fn are_untouched(&self, range: Range<u64>) -> bool {
        let last = range.end.div_ceil(PAGE);
        let mut pages = self.all_from(range.start / PAGE).take_while(|(page, _)| *page < last);
        pages.all(|(_, page)| matches!(page, Page::Untouched))
    }

    /// Where those of `range` end that can be looked at together with its first: its page, or all where nothing has happened to any from
    /// there on.
    pub fn end_of_first(&self, range: Range<u64>) -> u64 {
        let is_beyond = range.start / PAGE >= self.near.len() as u64 && self.far.is_empty();
        if is_beyond { range.end } else { Self::first_page(range).end }
    }

    /// The tasks of `range` that share a page with its last one.
    pub fn last_page(range: Range<u64>) -> Range<u64> {
        range.start.max(range.end.saturating_sub(1) / PAGE * PAGE)..range.end
    }

    /// The tasks of `range` that share a page with its first one.
    pub fn first_page(range: Range<u64>) -> Range<u64> {
        range.start..range.end.min((range.start / PAGE + 1) * PAGE)
    }

    /// The tasks of `range`, of one live page, are released, all of which are needed and weren't.
    pub fn release_all(&mut self, range: Range<u64>) {
        let Some(page) = self.page_mut(range.start / PAGE) else { return };
        let Page::Live(live) = page else { return };
        let start = (range.start % PAGE) as usize;
        for record in &mut live.records[start..][..(range.end - range.start) as usize] {
            *record = Record { failures: record.failures, ..Record::RELEASED };
        }
        live.left -= (range.end - range.start) as u32;
        if live.left == 0 {
            *page = Page::Released;
        }
    }

    /// `worker` has come to hold the result of `index`, whose page is live.
    pub fn held_by(&mut self, index: u64, worker: WorkerId) {
        if let Some(Page::Live(live)) = self.page_mut(index / PAGE) {
            live.holders |= bit(worker);
        }
    }

    /// The records of each live page in which `worker` may hold something, with the first task.
    pub fn maybe_with(&self, worker: WorkerId) -> impl Iterator<Item = (u64, &[Record])> {
        self.all().filter_map(move |(page, found)| match found {
            Page::Live(live) if live.holders & bit(worker) != 0 => Some((page * PAGE, &live.records[..])),
            _ => None,
        })
    }

    /// Where the page of `index` ends, if all of it is released.
    pub fn end_of_released(&self, index: u64) -> Option<u64> {
        let page = self.page(index / PAGE)?;
        matches!(page, Page::Released).then_some((index / PAGE + 1) * PAGE)
    }

    /// The first task from `index` on whose page is live; past all pages if there is none.
    pub fn next_live(&self, index: u64) -> u64 {
        let live = self.all_from(index / PAGE).find(|(_, page)| matches!(page, Page::Live(_)));
        live.map_or(u64::MAX, |(page, _)| index.max(page * PAGE))
    }

    /// Where the first of `range` and its neighbours end, if they are those of a live page; or else those of none, of which
    /// nothing runs and nothing is in memory. Says which.
    pub fn stretch(&self, range: Range<u64>) -> (bool, u64) {
        let first = range.start / PAGE;
        if matches!(self.page(first), Some(Page::Live(_))) {
            return (true, range.end.min((first + 1) * PAGE));
        }
        let mut within = self.all_from(first).take_while(|(page, _)| page * PAGE < range.end);
        let live = within.find(|(_, page)| matches!(page, Page::Live(_)));
        (false, live.map_or(range.end, |(page, _)| page * PAGE))
    }

    /// A needed task of the page of `index` is released, or is needed no longer.
    pub fn released(&mut self, index: u64) {
        let Some(page) = self.page_mut(index / PAGE) else { return };
        if let Page::Live(live) = page {
            live.left -= 1;
            if live.left == 0 {
                *page = Page::Released;
            }
        }
    }

    /// A released task of the live page of `index` is taken up again, or one is newly needed.
    pub fn revived(&mut self, index: u64) {
        if let Some(Page::Live(live)) = self.page_mut(index / PAGE) {
            live.left += 1;
        }
    }

    /// The states of the tasks of `range` whose pages are live. Of a page that isn't, nothing is looked at.
    pub fn live_in(&self, range: Range<u64>) -> impl Iterator<Item = (u64, Tag)> {
        let last = range.end.div_ceil(PAGE);
        let pages = self.all_from(range.start / PAGE).take_while(move |(page, _)| *page < last);
        pages.flat_map(move |(page, found)| {
            self.look_at();
            let start = page * PAGE;
            let records = match found {
                Page::Live(live) => &live.records[..],
                _ => &[],
            };
            let within = range.start.max(start)..range.end.min(start + records.len() as u64);
            within.map(move |index| (index, records[(index - start) as usize].tag))
        })
    }

    /// The records of live pages that something has happened to.
    pub fn live(&self) -> impl Iterator<Item = (u64, &Record)> {
        let live = self.all().filter_map(|(at, page)| {
            self.look_at();
            match page {
                Page::Live(live) => Some((at * PAGE, live)),
                _ => None,
            }
        });
        live.flat_map(|(start, live)| {
            let touched = live.records.iter().zip(start..).filter(|(record, _)| record.tag != Tag::Untouched);
            touched.map(|(record, index)| (index, record))
        })
    }

    /// Counts for tests how many pages walks look at.
    fn look_at(&self) {
        #[cfg(test)]
        self.looked_at.set(self.looked_at.get() + 1);
    }

    #[cfg(test)]
    pub fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    /// For each live page, its tasks and how many of the needed ones it takes to be not released.
    pub fn left(&self) -> impl Iterator<Item = (Range<u64>, u32)> {
        self.all().filter_map(|(at, page)| match page {
            Page::Live(live) => Some((at * PAGE..(at + 1) * PAGE, live.left)),
            _ => None,
        })
    }
}

impl Page {
    fn come_alive(&mut self, tasks: usize, needed: impl FnOnce() -> u32) {
        let (record, left) = match self {
            Self::Released => (Record::RELEASED, 0),
            _ => (Record::default(), needed()),
        };
        *self = Self::Live(Live { records: vec![record; tasks].into(), left, holders: 0 });
    }
}
