//! Graphs that travel: they are the same on the other side, and what is no graph is refused.

use super::*;
use crate::wire::GraphForm;

type Form = GraphForm<u32>;

/// As it is sent, with the numbers of its ops for bodies.
fn sent(graph: &Graph) -> Vec<u8> {
    let mut next = 0;
    let number = |_: &Op| {
        next += 1;
        Ok::<_, GraphError>(next - 1)
    };
    postcard::to_stdvec(&Form::of(graph, number).unwrap()).unwrap()
}

fn received(bytes: &[u8]) -> Result<Graph, String> {
    let form: Form = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
    form.build(|op| Ok::<OpBody, GraphError>(Arc::new(op.body))).map_err(|error| error.to_string())
}

/// Another byte, or a number as large as numbers are.
fn change() -> impl Strategy<Value = Vec<u8>> {
    let large = [300, 1 << 20, u64::from(u32::MAX), 1 << 32, 1 << 48, (1 << 61) + 1, (1 << 63) - 1, 1 << 63, u64::MAX];
    let number = prop::sample::select(large.to_vec()).prop_map(|number| postcard::to_stdvec(&number).unwrap());
    prop_oneof![2 => any::<u8>().prop_map(|byte| vec![byte]), 1 => number]
}

#[test]
fn a_grid_of_more_axes_than_arrays_have_is_refused() {
    let grid = |axes: usize| postcard::from_bytes::<Grid>(&postcard::to_stdvec(&vec![1_u32; axes]).unwrap());
    assert_eq!(grid(small::LIST_MOST).unwrap().axes(), small::LIST_MOST);
    assert!(grid(small::LIST_MOST + 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_received_is_what_was_sent(kind in kinds(), lengths in grids(), seed in any::<u64>()) {
        let (graph, _) = Drawing::new(seed).reader(kind, &lengths);
        let bytes = sent(&graph);
        let again = received(&bytes).unwrap();
        prop_assert_eq!(graph.layers().len(), again.layers().len());
        for (id, layer) in graph.layers() {
            let other = again.layer(id);
            prop_assert_eq!((&layer.name, layer.op, layer.cost), (&other.name, other.op, other.cost));
            prop_assert_eq!(&layer.annotations, &other.annotations);
            prop_assert_eq!(inputs(&graph, id), inputs(&again, id));
            prop_assert_eq!(graph.readers(id), again.readers(id));
        }
        prop_assert_eq!(sent(&again), bytes);
    }

    /// Cut, changed and made up: there is an error, or a graph that keeps what graphs promise.
    #[test]
    fn what_is_no_graph_is_refused(
        kind in kinds(), lengths in grids(), seed in any::<u64>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 0..6),
        cut in any::<prop::sample::Index>(), is_cut in any::<bool>(),
    ) {
        let (graph, _) = Drawing::new(seed).reader(kind, &lengths);
        let mut bytes = sent(&graph);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes.splice(at..=at, byte);
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let Ok(graph) = received(&bytes) else { return Ok(()) };
        for (id, layer) in graph.layers() {
            prop_assert!((layer.op.0 as usize) < graph.ops().len());
            for index in (0..layer.len()).take(50) {
                let mut is_earlier = true;
                graph.for_first_inputs(TaskId::new(id, index), 50, |input| {
                    let is_there = input.index < graph.layer(input.layer).len();
                    is_earlier &= is_there && (input.layer < id || input.layer == id && input.index < index);
                });
                prop_assert!(is_earlier, "task {} of {:?}", index, layer);
                for &reader in graph.readers(id) {
                    _ = graph.layer(reader).shape.first_dependent(reader, TaskId::new(id, index));
                }
            }
        }
    }
}

/// Rules stay rules: what is sent doesn't grow with the blocks.
#[test]
fn a_hundred_million_blocks_are_some_hundred_bytes() {
    let sizes = [100, 10_000].map(|length| {
        let mut graph = GraphBuilder::new();
        let body = Arc::new(());
        let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 0, flags: OpFlags::default(), body });
        let grid = Grid::new([length, length]);
        let source = Shape::Map { grid: grid.clone(), inputs: vec![] };
        let first = graph.layer(Layer::new("first", op, source)).unwrap();
        let windows =
            Windows { count: length, first: 0, stride: 3, width: 4, points: 0..3 * u64::from(length), block: 3 };
        let ranges = [AxisRanges::even(windows).unwrap(), AxisRanges::same(length)].into_iter().collect();
        let cut =
            graph.layer(Layer::new("cut", op, Shape::Overlap { input: first, grid: grid.clone(), ranges })).unwrap();
        let inputs = vec![MapInput::same(first, grid.clone()), MapInput::same(cut, grid.clone())];
        let sum = graph.layer(Layer::new("sum", op, Shape::Map { grid: grid.clone(), inputs })).unwrap();
        let fan_in = [4, 4].into_iter().collect();
        graph.layer(Layer::new("total", op, Shape::Reduce { input: sum, grid, fan_in })).unwrap();
        let graph = graph.finish();
        assert_eq!(received(&sent(&graph)).unwrap().tasks(), graph.tasks());
        sent(&graph).len()
    });
    assert!(sizes[1] < 300 && sizes[1] - sizes[0] < 60, "{sizes:?} bytes");
}

#[test]
fn annotations_travel_once_and_ops_of_one_digest_are_refused() {
    let mut graph = GraphBuilder::new();
    let named = |digest: u128| Op {
        kind: OpKind::Python,
        name: "op".into(),
        digest,
        flags: OpFlags::default(),
        body: Arc::new(()),
    };
    let op = graph.op(named(7));
    graph.op(named(8));
    let gpu = Arc::new(Annotations { resources: [("gpu".into(), 500)].into(), retries: 3, ..Annotations::default() });
    for _ in 0..1000 {
        let layer = Layer::new("one", op, Shape::source(1));
        graph.layer(Layer { annotations: gpu.clone(), ..layer }).unwrap();
    }
    let graph = graph.finish();
    let again = received(&sent(&graph)).unwrap();
    assert!(again.layers().all(|(_, layer)| layer.annotations == gpu));
    assert!(sent(&graph).len() < 20_000, "{} bytes", sent(&graph).len());
    let form: Form = postcard::from_bytes(&sent(&graph)).unwrap();
    let mut bytes = postcard::to_stdvec(&form).unwrap();
    let at = bytes.iter().position(|&byte| byte == 8).expect("the digest of the second op");
    bytes[at] = 7;
    assert!(received(&bytes).unwrap_err().contains("came before it"));
}
