//! Flight records of an engine's scheduler, written to files.

use raskt_graph::Graph;
use raskt_schedule::{
    Event, EventError, FailureScope, FlightRecorder, ForgottenRun, Offer, Placement, PreparedRun, RunId, Scheduler,
    Settings, SoonestStart, TaskRange, Time, WorkerId,
};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The scheduler of an engine, and what is written down of what happens to it.
///
/// A record holds the events in order, with the time since its beginning. [`raskt_schedule::Flight`] reads it and does it
/// all again. Writing costs a few hundred nanoseconds an event, under the engine's lock: it is for finding faults.
pub(crate) struct RecordedScheduler {
    pub scheduler: Scheduler,
    settings: Settings,
    placement: Arc<dyn Placement>,
    /// What time is counted from.
    start: Instant,
    record: Option<Record>,
}

struct Record {
    recorder: FlightRecorder,
    path: PathBuf,
    file: BufWriter<File>,
}

impl RecordedScheduler {
    pub fn new(settings: Settings) -> Self {
        let placement: Arc<dyn Placement> = Arc::new(SoonestStart::default());
        let scheduler = Scheduler::with(settings, placement.clone());
        Self { scheduler, settings, placement, start: Instant::now(), record: None }
    }

    /// Writes down what happens from now on. Of what happened before there may be only that `worker` joined.
    pub fn record(&mut self, path: &Path, worker: WorkerId, offer: Offer) -> std::io::Result<()> {
        let file = BufWriter::new(File::create(path)?);
        let recorder = FlightRecorder::new(self.settings, &self.placement);
        self.record = Some(Record { recorder, path: path.to_owned(), file });
        self.note(self.now(), &Event::WorkerJoined { worker, offer });
        Ok(())
    }

    pub fn is_recorded(&self) -> bool {
        self.record.is_some()
    }

    pub fn handle_event(&mut self, event: Event) {
        let now = self.now();
        if self.record.is_some() {
            self.note(now, &event);
        }
        self.scheduler.handle_event(now, event);
    }

    fn now(&self) -> Time {
        Time(self.start.elapsed().as_nanos() as u64)
    }

    /// When the scheduler is to be told that time has passed, if nothing happens before.
    pub fn wakes_at(&self) -> Option<Instant> {
        self.scheduler.wakes_at().map(|at| self.start + Duration::from_nanos(at.0))
    }

    /// A run comes whose graph and wanted tasks are these.
    pub fn submit(
        &mut self,
        run: RunId,
        parent: Option<RunId>,
        (graph, wanted): (&Arc<Graph>, &[TaskRange]),
        prepared: PreparedRun,
    ) -> Result<(), EventError> {
        let now = self.now();
        if self.record.is_some() {
            self.note(
                now,
                &Event::GraphAdded {
                    run,
                    parent,
                    graph: graph.clone(),
                    wanted: wanted.to_vec(),
                    failure: FailureScope::Run,
                    imports: vec![],
                },
            );
        }
        self.scheduler.submit(now, run, parent, prepared)
    }

    /// Nobody wants a run any more.
    pub fn release(&mut self, run: RunId) -> Option<ForgottenRun> {
        let now = self.now();
        self.note(now, &Event::RunReleased { run });
        self.scheduler.release(now, run)
    }

    /// Ends the record, and says where it is.
    pub fn land(&mut self) -> Option<PathBuf> {
        let mut record = self.record.take()?;
        // What can't be written is missing at its end.
        let _ = record.file.flush();
        Some(record.path)
    }

    fn note(&mut self, now: Time, event: &Event) {
        let Some(record) = &mut self.record else { return };
        if let Err(error) = record.write(now, event) {
            // The computation goes on: it is worth more than its record.
            let path = record.path.display();
            let _ = writeln!(std::io::stderr(), "raskt: the flight record `{path}` ends here: {error}");
            self.record = None;
        }
    }
}

impl Record {
    fn write(&mut self, now: Time, event: &Event) -> std::io::Result<()> {
        self.recorder.note(now, event);
        self.file.write_all(&self.recorder.take())?;
        // A run is over: whoever looks at the file finds it whole.
        if matches!(event, Event::RunReleased { .. }) { self.file.flush() } else { Ok(()) }
    }
}
