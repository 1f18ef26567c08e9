use crate::TaskState;
use crate::task::Record;

/// Records of the tasks of one layer, a page of neighbours at a time.
///
/// A page comes into being when something first happens to one of its tasks, and goes when the last of them is
/// released. So memory follows the work in flight and not the size of the layer.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: Vec<Page>,
}

/// Tasks of one page.
const PAGE: usize = 512;

#[derive(Debug, Default)]
enum Page {
    /// Nothing has happened yet.
    #[default]
    Untouched,
    Live(Box<Live>),
    /// Every task is released.
    Released,
}

#[derive(Debug)]
struct Live {
    records: [Option<Record>; PAGE],
    released: usize,
}

impl Pages {
    pub fn get(&self, index: u64) -> Option<Record> {
        match self.pages.get(index as usize / PAGE)? {
            Page::Untouched => None,
            Page::Live(live) => live.records[index as usize % PAGE],
            // The attempt of a task on a released page is not known any more; it is never compared, since
            // `set` starts such tasks far above any attempt that a live page can have reached.
            Page::Released => Some(Record { state: TaskState::Released, attempt: AFTER_RELEASE }),
        }
    }

    pub fn set(&mut self, index: u64, record: Record) {
        let (page, at) = (index as usize / PAGE, index as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Page::default);
        }
        let page = &mut self.pages[page];
        let live = match page {
            Page::Live(live) => live,
            Page::Untouched => page.open(None),
            Page::Released => page.open(Some(Record { state: TaskState::Released, attempt: AFTER_RELEASE })),
        };
        let is_released = |record: &Record| record.state == TaskState::Released;
        live.released -= usize::from(live.records[at].as_ref().is_some_and(is_released));
        live.released += usize::from(is_released(&record));
        live.records[at] = Some(record);
        if live.released == PAGE {
            *page = Page::Released;
        }
    }

    pub fn records(&self) -> impl Iterator<Item = (u64, Record)> {
        (0..(self.pages.len() * PAGE) as u64).filter_map(|index| Some((index, self.get(index)?)))
    }
}

/// The attempt of tasks whose page was released: a task is tried a few times, never a million.
const AFTER_RELEASE: crate::Attempt = crate::Attempt(1 << 20);

impl Page {
    fn open(&mut self, record: Option<Record>) -> &mut Box<Live> {
        let released = if record.is_some() { PAGE } else { 0 };
        *self = Self::Live(Box::new(Live { records: [record; PAGE], released }));
        match self {
            Self::Live(live) => live,
            _ => unreachable!("the page was made live in the line before"),
        }
    }
}
