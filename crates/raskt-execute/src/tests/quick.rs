//! Tasks that end soon, however much they read.

use super::memory::{Place, all, blocks, bytes, check_sums, sum};
use super::*;

const MIB: u64 = 1 << 20;

/// The sum of each of `values`, by tasks that end soon, where the results are named by a layer that makes nothing.
fn quick_sums_of(values: Vec<Value>) -> (Arc<Graph>, Vec<TaskId>) {
    let count = values.len() as u32;
    let mut graph = GraphBuilder::new();
    let give = move |call: &Call<'_>, _: &[Value]| Ok(values[call.index as usize].clone());
    let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(give)))));
    let flags = OpFlags { gives_stored: true, ..OpFlags::default() };
    let give = graph.op(Op { kind: OpKind::Array, name: "give".into(), digest: 0, flags, body });
    let add = op(&mut graph, |_, inputs| Ok(Chunk::scalar(sum(&inputs[0])).into()));
    let cost = Cost { nanoseconds: 100, output_bytes: 0, scratch_bytes: 0 };
    let given = graph.layer(Layer::new("given", give, Shape::source(count)).with_cost(cost)).unwrap();
    let grid = Grid::new([count]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(given, grid)] };
    let cost = Cost { nanoseconds: 100, ..bytes(8) };
    let layer = graph.layer(Layer::new("sum", add, shape).with_cost(cost)).unwrap();
    (Arc::new(graph.finish()), all(layer, count))
}

#[test]
fn quick_tasks_that_read_much_do_not_have_all_of_it_in_memory_at_once() {
    for threads in [0, 1, 2] {
        let place = Place::new(threads, 8);
        let kept = place.keep(blocks(96, false));
        for _ in 0..2 {
            let (graph, wanted) = quick_sums_of(kept.clone());
            check_sums(&place.run(graph, wanted).unwrap());
        }
        let report = place.report();
        assert!(report.peak <= 8 * MIB, "{threads} threads: {report:?}");
        drop(kept);
        place.becomes_empty();
    }
}
