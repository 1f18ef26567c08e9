use raskt_graph::TaskId;
use raskt_value::Value;
use std::collections::BTreeMap;

/// The number of a run, as the engine that runs it knows it.
pub type RunKey = u64;

/// The results that an engine has, by run, layer and index: small ones as they are, large ones as a [`Value::Kept`].
///
/// What is taken out is handed to the caller, who drops it where that is safe: the last owner of a Python object may run
/// Python code when it goes.
#[derive(Debug, Default)]
pub struct Results {
    runs: BTreeMap<RunKey, Vec<Layer>>,
}

/// Results of one layer from the first one that is there on.
#[derive(Debug, Default)]
struct Layer {
    results: Vec<Option<Value>>,
    /// How many are there.
    there: usize,
}

impl Results {
    /// Puts in the result of `task`.
    pub fn put(&mut self, run: RunKey, task: TaskId, value: Value) {
        let layers = self.runs.entry(run).or_default();
        let at = task.layer.0 as usize;
        if at >= layers.len() {
            layers.resize_with(at + 1, Layer::default);
        }
        let layer = &mut layers[at];
        let index = task.index as usize;
        if index >= layer.results.len() {
            layer.results.resize(index + 1, None);
        }
        layer.there += usize::from(layer.results[index].replace(value).is_none());
    }

    /// The result of `task`, if it is there.
    pub fn get(&self, run: RunKey, task: TaskId) -> Option<&Value> {
        self.runs.get(&run)?.get(task.layer.0 as usize)?.results.get(task.index as usize)?.as_ref()
    }

    /// Takes out the result of `task`.
    pub fn take(&mut self, run: RunKey, task: TaskId) -> Option<Value> {
        let layer = self.runs.get_mut(&run)?.get_mut(task.layer.0 as usize)?;
        let value = layer.results.get_mut(task.index as usize)?.take()?;
        layer.there -= 1;
        if layer.there == 0 {
            layer.results = vec![];
        }
        Some(value)
    }

    /// Takes out all results of a run.
    pub fn take_run(&mut self, run: RunKey) -> Vec<Value> {
        let layers = self.runs.remove(&run).unwrap_or_default();
        layers.into_iter().flat_map(|layer| layer.results.into_iter().flatten()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::LayerId;
    use raskt_value::Chunk;

    #[test]
    fn what_is_put_in_can_be_taken_out_once() {
        let mut results = Results::default();
        let task = TaskId::new(LayerId(2), 7);
        results.put(1, task, Chunk::scalar(5_i64).into());
        assert_eq!(results.get(1, task).map(Value::bytes), Some(8));
        assert!(results.get(2, task).is_none());
        assert!(results.take(1, task).is_some());
        assert!(results.take(1, task).is_none());
    }

    #[test]
    fn taking_a_run_leaves_the_others() {
        let mut results = Results::default();
        for run in 0..2 {
            for index in 0..3 {
                results.put(run, TaskId::new(LayerId(0), index), Chunk::scalar(run as f64).into());
            }
        }
        assert_eq!(results.take_run(0).len(), 3);
        assert_eq!(results.take_run(0).len(), 0);
        assert!(results.get(1, TaskId::new(LayerId(0), 2)).is_some());
    }
}
