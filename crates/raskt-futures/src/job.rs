//! Graphs as jobs of a cluster: what they are, the data that goes with them, and what they read of other runs.

use crate::held::HeldResult;
use hashbrown::HashMap;
use raskt_cluster::{Client, ClusterError, Job};
use raskt_graph::{GraphForm, LayerId, TaskId};
use raskt_schedule::{Import, TaskRange};
use raskt_value::Value;
use raskt_value::wire::BodyForm;
use std::sync::Arc;

/// A graph as it is sent.
pub struct Prepared {
    /// With its data beside it. Of what is wanted, what the cluster holds already isn't asked for.
    pub job: Job,
    /// The tasks that stand for results that the cluster holds already, where they stay.
    pub held: HashMap<TaskId, Arc<HeldResult>>,
    /// What the tasks that are wanted are called in it.
    pub wanted: Vec<TaskId>,
}

/// What a face does to values that a graph gives, before they are sent.
pub trait Bring {
    /// Why it can't.
    type Error;

    /// A result of whichever client as one that may be imported, if it may.
    fn own(&mut self, held: &Arc<HeldResult>) -> Result<Option<Arc<HeldResult>>, Self::Error>;

    /// Values as they can be sent: none of them stands for another one.
    fn loaded(&mut self, values: Vec<Value>) -> Result<Vec<Value>, Self::Error>;
}

impl Prepared {
    /// The graph of `job`, which is `form`, as it is sent: `given` is what its ops give, by the position that they name.
    ///
    /// # Errors
    /// Those of `bring`.
    pub fn of<B: Bring>(
        job: Job,
        form: &GraphForm<BodyForm>,
        given: &[Vec<Value>],
        wanted: Vec<TaskId>,
        bring: &mut B,
    ) -> Result<Self, B::Error> {
        let mut prepared = Self { job, held: HashMap::new(), wanted: vec![] };
        for (layer, op) in form.layers() {
            if let BodyForm::Given(at) = form.ops()[op.0 as usize].body {
                prepared.give(layer, &given[at as usize], bring)?;
            }
        }
        let mut each: Vec<_> = wanted.iter().copied().filter(|task| !prepared.held.contains_key(task)).collect();
        each.sort_unstable();
        each.dedup();
        prepared.job.wanted = TaskRange::of(each);
        prepared.wanted = wanted;
        Ok(prepared)
    }

    /// Adds what the tasks of a layer stand for.
    fn give<B: Bring>(&mut self, layer: LayerId, values: &[Value], bring: &mut B) -> Result<(), B::Error> {
        let mut data: Vec<(TaskRange, Vec<Value>)> = vec![];
        for (at, value) in values.iter().enumerate() {
            let task = TaskId::new(layer, at as u64);
            match HeldResult::of(value).map(|result| bring.own(&result)).transpose()?.flatten() {
                Some(result) => {
                    import(&mut self.job.imports, task, &result);
                    self.held.insert(task, result);
                }
                None => match data.last_mut() {
                    Some((range, values)) if range.end == task.index => {
                        range.end += 1;
                        values.push(value.clone());
                    }
                    _ => data.push((TaskRange::one(task), vec![value.clone()])),
                },
            }
        }
        for (range, values) in data {
            self.job.given.push((range, bring.loaded(values)?));
        }
        Ok(())
    }

    /// Has it run, each of its tasks being something by itself, and gives handles on what is wanted, in order. `named` stays as long as
    /// anybody needs the run: calls of it may ask for that, whenever they are made.
    pub fn begin(
        self,
        client: &Arc<Client>,
        named: Vec<Arc<HeldResult>>,
    ) -> Result<Vec<Arc<HeldResult>>, ClusterError> {
        let Self { mut job, mut held, wanted } = self;
        job.keeps.extend(named.into_iter().map(|named| named as _));
        let each = job.wanted.clone();
        if !each.is_empty() {
            let data: Vec<TaskRange> = job.given.iter().map(|(range, _)| *range).collect();
            let is_data = |task| data.iter().any(|range| range.contains(task));
            let read: Vec<_> = held.values().filter(|held| held.is_data()).cloned().collect();
            let run = client.submit_tasks(job)?;
            if !read.is_empty() {
                // It stays here until it has been read: whoever gave it may have let go of it.
                client.on_settled(&[(run.id(), each.clone())], Box::new(move || drop(read)));
            }
            let tasks = each.iter().flat_map(|range| range.tasks());
            held.extend(tasks.map(|task| (task, HeldResult::new(client.clone(), run.clone(), task, is_data(task)))));
        }
        Ok(wanted.iter().map(|task| held[task].clone()).collect())
    }
}

/// The task stands for a result of another run: neighbours of the same are one import.
fn import(imports: &mut Vec<Import>, task: TaskId, held: &HeldResult) {
    let (run, from) = held.place();
    if let Some(last) = imports.last_mut() {
        let source = last.source();
        let follows = last.tasks.layer == task.layer && last.tasks.end == task.index;
        if follows && last.run == run && source.layer == from.layer && source.end == from.index {
            last.tasks.end += 1;
            return;
        }
    }
    imports.push(Import { tasks: TaskRange::one(task), run, from });
}
