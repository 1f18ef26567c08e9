//! What happened, in words: a line for each thing.

use crate::scenario::Scenario;
use raskt_graph::TaskId;
use raskt_schedule::{Action, Event, Fetch, Import, Outcome, Report, RunId, TaskRange};
use std::fmt;

/// A line of the story of a world.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub at: u64,
    pub text: String,
    /// The tasks it is about; none if it is about none in particular.
    pub tasks: Vec<(RunId, TaskRange)>,
}

impl Line {
    pub fn is_about(&self, run: RunId, task: TaskId) -> bool {
        self.tasks.iter().any(|&(of, range)| of == run && range.contains(task))
    }

    /// Whether the text of a failed assertion names one of these tasks, as in `2:17`.
    pub fn is_named_in(&self, text: &str) -> bool {
        let words = text.split(|letter: char| letter != ':' && !letter.is_ascii_digit());
        let named = words.filter_map(|word| {
            let (layer, index) = word.split_once(':')?;
            Some((layer.parse::<u32>().ok()?, index.parse::<u64>().ok()?))
        });
        let named: Vec<_> = named.map(|(layer, index)| TaskId::new(raskt_graph::LayerId(layer), index)).collect();
        self.tasks.iter().any(|&(_, range)| named.iter().any(|&task| range.contains(task)))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>12.6} s  {}", self.at as f64 / 1e9, self.text)
    }
}

/// The tasks that an event is about.
pub(crate) fn tasks_of_event(event: &Event) -> Vec<(RunId, TaskRange)> {
    match event {
        Event::Reported { report, .. } => report.outcomes.iter().map(|&(range, _)| (report.run, range)).collect(),
        Event::Wanted { run, tasks }
        | Event::Released { run, tasks }
        | Event::Retried { run, tasks }
        | Event::Cancelled { run, tasks }
        | Event::ResultsLost { run, tasks, .. }
        | Event::Fetched { run, tasks, .. }
        | Event::CopiesDropped { run, tasks, .. }
        | Event::Scattered { run, tasks, .. }
        | Event::RunsOn { run, tasks, .. }
        | Event::GiftsKept { run, tasks, .. }
        | Event::Recalled { run, tasks, .. } => tasks.iter().map(|&range| (*run, range)).collect(),
        Event::Kept { run, tasks, .. } => tasks.iter().map(|(range, _)| (*run, *range)).collect(),
        Event::FetchFailed { input_run, task, .. } => vec![(*input_run, TaskRange::one(*task))],
        _ => vec![],
    }
}

/// The tasks that an action is about.
pub(crate) fn tasks_of_action(action: &Action) -> Vec<(RunId, TaskRange)> {
    match action {
        Action::Assign { assignment, .. } => assignment.tasks.iter().map(|&range| (assignment.run, range)).collect(),
        Action::Discard { run, tasks, .. }
        | Action::Recall { run, tasks, .. }
        | Action::Unavailable { run, tasks }
        | Action::TasksFailed { run, tasks, .. } => tasks.iter().map(|&range| (*run, range)).collect(),
        Action::Available { run, results } => results.iter().map(|held| (*run, held.tasks)).collect(),
        Action::Failed { root, task, .. } => vec![(*root, TaskRange::one(*task))],
        _ => vec![],
    }
}

/// An event in a line.
pub(crate) fn event(event: &Event) -> String {
    match event {
        Event::GraphAdded { run, graph, wanted, failure, imports, .. } => {
            let import = |import: &Import| format!("; {} from run {}", ranges(&[import.tasks]), import.run.0);
            let imports: String = imports.iter().map(import).collect();
            let tasks = graph.tasks();
            format!("run {} of {tasks} tasks is added ({failure:?}); wanted: {}{imports}", run.0, ranges(wanted))
        }
        Event::Wanted { run, tasks } => format!("run {}: {} is wanted", run.0, ranges(tasks)),
        Event::Released { run, tasks } => format!("run {}: {} is no longer wanted", run.0, ranges(tasks)),
        Event::ResultsLost { worker, run, tasks } => {
            format!("worker {} has lost {} of run {}", worker.0, ranges(tasks), run.0)
        }
        Event::CopiesDropped { worker, run, tasks } => {
            format!("copies of {} of run {} go from worker {}", ranges(tasks), run.0, worker.0)
        }
        Event::Scattered { run, tasks, worker, .. } | Event::GiftsKept { run, tasks, worker, .. } => {
            format!("worker {} was given {} of run {}", worker.0, ranges(tasks), run.0)
        }
        Event::Kept { worker, run, tasks } => {
            let kept: Vec<_> = tasks.iter().map(|(range, _)| *range).collect();
            format!("worker {} has kept {} of run {}", worker.0, ranges(&kept), run.0)
        }
        Event::RunsOn { worker, run, tasks } => {
            format!("worker {} still runs {} of run {}", worker.0, ranges(tasks), run.0)
        }
        Event::Started { worker, run, attempt } => {
            format!("worker {} begins run {}, attempt {}", worker.0, run.0, attempt.0)
        }
        Event::Fetched { worker, run, tasks } => {
            format!("worker {} has copies of {} of run {}", worker.0, ranges(tasks), run.0)
        }
        Event::Unsendable { worker, run, reader, from, .. } => {
            format!("worker {} can't be sent by worker {} what {reader} of run {} reads", worker.0, from.0, run.0)
        }
        Event::FetchFailed { worker, run, attempt, task, from, reached, .. } => {
            let why = if *reached { "doesn't have it" } else { "doesn't answer" };
            let (worker, from) = (worker.0, from.0);
            format!("worker {worker} gives back run {}, attempt {}: {from} {why} ({task})", run.0, attempt.0)
        }
        Event::Recalled { worker, run, attempt, tasks } => {
            format!("worker {} gives back {} of run {}, attempt {}", worker.0, ranges(tasks), run.0, attempt.0)
        }
        Event::Reported { worker, report } => format!("worker {} reports {}", worker.0, reported(report)),
        other => format!("{other:?}"),
    }
}

fn reported(report: &Report) -> String {
    let outcome = |(range, outcome): &(TaskRange, Outcome)| format!("{} {outcome:?}", ranges(&[*range]));
    let outcomes: Vec<_> = report.outcomes.iter().map(outcome).collect();
    format!("run {}, attempt {}: {}", report.run.0, report.attempt.0, outcomes.join(", "))
}

/// An action in a line.
pub(crate) fn action(action: &Action) -> String {
    match action {
        Action::Assign { worker, assignment } => {
            let (run, attempt) = (assignment.run.0, assignment.attempt.0);
            let fetch = |fetch: &Fetch| format!(", fetching {} from {}", ranges(&[fetch.tasks]), fetch.from.0);
            let fetches: String = assignment.fetches.iter().map(fetch).collect();
            let tasks = ranges(&assignment.tasks);
            format!("  → worker {}: run {tasks} of run {run}, attempt {attempt}{fetches}", worker.0)
        }
        Action::Recall { worker, run, attempt, tasks } => {
            format!("  → worker {}: give back {} of run {}, attempt {}", worker.0, ranges(tasks), run.0, attempt.0)
        }
        Action::Discard { worker, run, tasks, inventory_version } => {
            let (worker, tasks) = (worker.0, ranges(tasks));
            format!("  → worker {worker}: drop {tasks} of run {}, of what it said {inventory_version} times", run.0)
        }
        other => format!("  → {other:?}"),
    }
}

/// Ranges of tasks, as in `2:0..5 3:1`.
fn ranges(ranges: &[TaskRange]) -> String {
    let one = |range: &TaskRange| match range.len() {
        1 => format!("{}:{}", range.layer.0, range.start),
        _ => format!("{}:{}..{}", range.layer.0, range.start, range.end),
    };
    ranges.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// A scenario as it is written in Rust, a line for each of its parts: what fails once goes into the tests like this, and
/// stays what it is when other worlds are drawn from the seeds.
pub(crate) fn scenario(scenario: &Scenario) -> String {
    let Scenario { seed, credit_nanoseconds, prefill_nanoseconds, lease_nanoseconds, clients, calm_at, .. } = scenario;
    let Scenario { weather, hosts, jobs, faults, .. } = scenario;
    let text = format!(
        "Scenario {{\n    seed: {seed},\n    credit_nanoseconds: {credit_nanoseconds},\n    \
         prefill_nanoseconds: {prefill_nanoseconds},\n    lease_nanoseconds: {lease_nanoseconds},\n    \
         clients: {clients},\n    calm_at: {calm_at},\n    weather: {weather:?},\n    \
         hosts: [{}],\n    jobs: [{}],\n    faults: [{}],\n}}",
        lines(hosts),
        lines(jobs),
        lines(faults),
    );
    // There is no text in a scenario in which this could stand for something else, and nothing of a fixed length.
    text.replace('[', "vec![")
}

fn lines<T: fmt::Debug>(parts: &[T]) -> String {
    let lines: String = parts.iter().map(|part| format!("\n        {part:?},")).collect();
    if lines.is_empty() { lines } else { lines + "\n    " }
}
