//! Layers of one graph in another: they read the same, under other names.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_included_reads_what_it_read(kind in kinds(), lengths in grids(), seed in any::<u64>(), before in 0..3_u32) {
        let (graph, wanted) = Drawing::new(seed).reader(kind, &lengths);
        let (mut builder, needed) = (GraphBuilder::new(), graph.needed_layers([wanted], |_| false));
        for _ in 0..before {
            let other = builder.op(graph.op_of(wanted).clone());
            builder.layer(Layer::new("other", other, Shape::source(1))).unwrap();
        }
        let included = builder.include(&graph, wanted).unwrap();
        let whole = builder.finish();
        prop_assert_eq!(whole.layers().len(), before as usize + needed.len());
        let place = |layer| LayerId(before + needed.iter().position(|&other| other == layer).unwrap() as u32);
        prop_assert_eq!(included, place(wanted));
        for &layer in &needed {
            let renamed = |task: &TaskId| TaskId::new(place(task.layer), task.index);
            let expected: Vec<Vec<TaskId>> =
                inputs(&graph, layer).iter().map(|tasks| tasks.iter().map(renamed).collect()).collect();
            prop_assert_eq!(inputs(&whole, place(layer)), expected);
            prop_assert_eq!(&whole.op_of(place(layer)).name, &graph.op_of(layer).name);
        }
    }
}
