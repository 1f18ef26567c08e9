use raskt_schedule::{Event, FlightRecorder, Offer, Scheduler, Settings, SoonestStart, Time, WorkerId};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The scheduler of an engine, and what is written down of what happens to it.
///
/// A record holds the events in order, with the time since its beginning. [`raskt_schedule::Flight`] reads it and does it
/// all again. Writing costs a few hundred nanoseconds an event, under the engine's lock: it is for finding faults.
pub(crate) struct Pilot {
    pub scheduler: Scheduler,
    settings: Settings,
    record: Option<Record>,
}

struct Record {
    recorder: FlightRecorder,
    start: Instant,
    path: PathBuf,
    file: BufWriter<File>,
}

impl Pilot {
    pub fn new(settings: Settings) -> Self {
        let scheduler = Scheduler::with(settings, Box::new(SoonestStart::default()));
        Self { scheduler, settings, record: None }
    }

    /// Writes down what happens from now on. Of what happened before there may be only that `worker` joined.
    pub fn record(&mut self, path: &Path, worker: WorkerId, offer: Offer) -> std::io::Result<()> {
        let file = BufWriter::new(File::create(path)?);
        let recorder = FlightRecorder::new(self.settings);
        self.record = Some(Record { recorder, start: Instant::now(), path: path.to_owned(), file });
        self.note(&Event::WorkerJoined { worker, offer });
        Ok(())
    }

    pub fn is_recorded(&self) -> bool {
        self.record.is_some()
    }

    pub fn handle_event(&mut self, event: Event) {
        if self.record.is_some() {
            self.note(&event);
        }
        self.scheduler.handle_event(Time(0), event);
    }

    /// Ends the record, and says where it is.
    pub fn land(&mut self) -> Option<PathBuf> {
        let mut record = self.record.take()?;
        // What can't be written is missing at its end.
        let _ = record.file.flush();
        Some(record.path)
    }

    fn note(&mut self, event: &Event) {
        let Some(record) = &mut self.record else { return };
        if let Err(error) = record.write(event) {
            // The computation goes on: it is worth more than its record.
            eprintln!("raskt: the flight record `{}` ends here: {error}", record.path.display());
            self.record = None;
        }
    }
}

impl Record {
    fn write(&mut self, event: &Event) -> std::io::Result<()> {
        self.recorder.note(Time(self.start.elapsed().as_nanos() as u64), event);
        self.file.write_all(&self.recorder.take())?;
        // A run is over: whoever looks at the file finds it whole.
        if matches!(event, Event::RunReleased { .. }) { self.file.flush() } else { Ok(()) }
    }
}
