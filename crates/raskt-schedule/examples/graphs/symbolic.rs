//! Graphs of about so many blocks in all that have no record of a block, each of one shape.

use raskt_graph::*;

/// Arrays that are put together.
const PARTS: u32 = 10_000;

/// Blocks of the shape that is called `name`, summed up to one; nothing if there is no such shape.
pub fn summed(graph: &mut GraphBuilder, op: OpId, cost: Cost, name: &str, size: u32) -> Option<LayerId> {
    let shape = blocks(graph, op, cost, name, size)?;
    let mut last = graph.layer(Layer::new(name, op, shape).with_cost(cost)).expect("it fits what it reads");
    while graph.get(last).len() > 1 {
        let grid = graph.get(last).shape.grid();
        let fan_in = grid.lengths().iter().map(|_| if grid.axes() == 1 { 16 } else { 4 }).collect();
        let sum = Layer::new("sum", op, Shape::Reduce { input: last, grid, fan_in });
        last = graph.layer(sum.with_cost(cost)).expect("a sum fits");
    }
    Some(last)
}

/// The blocks that are summed up in the end.
fn blocks(graph: &mut GraphBuilder, op: OpId, cost: Cost, name: &str, size: u32) -> Option<Shape> {
    let mut add = |shape| graph.layer(Layer::new("blocks", op, shape).with_cost(cost)).expect("it fits what it reads");
    let source = |grid: &Grid| Shape::Map { grid: grid.clone(), inputs: vec![] };
    let side = |part: f64| (f64::from(size) / part).sqrt() as u32;
    let windows = |windows| AxisRanges::even(windows).expect("the windows leave nothing out");
    Some(match name {
        "blocks" => Shape::source(size),
        // x - x.mean(axis=0): what x is made of is made again.
        "centred" => {
            let grid = Grid::new([side(2.4); 2]);
            let mut mean = add(source(&grid));
            let mut own = grid.clone();
            while own.lengths()[0] > 1 {
                let shape = Shape::Reduce { input: mean, grid: own, fan_in: [16, 1].into_iter().collect() };
                own = shape.grid();
                mean = add(shape);
            }
            let axes = [None, Some(1)].into_iter().collect();
            Shape::Map { grid, inputs: vec![MapInput { layer: mean, grid: own, axes }] }
        }
        // Blocks of 7 × 7 out of blocks of 10 × 10.
        "rechunk" => {
            let grid = Grid::new([side(3.2); 2]);
            let points = 10 * u64::from(grid.lengths()[0]);
            let count = points.div_ceil(7) as u32;
            let each = windows(Windows { count, first: 0, stride: 7, width: 7, points: 0..points, block: 10 });
            Shape::Overlap { input: add(source(&grid)), grid, ranges: [each.clone(), each].into() }
        }
        // x[::-2, 3::5], of blocks of 10 × 10.
        "slice" => {
            let count = side(2.1);
            let (grid, points) = (Grid::new([count; 2]), 10 * u64::from(count));
            let back = Windows { count, first: points as i64 - 9, stride: -10, width: 9, points: 1..points, block: 10 };
            let forth = Windows { count, first: 3, stride: 10, width: 6, points: 3..points, block: 10 };
            Shape::Overlap { input: add(source(&grid)), grid, ranges: [windows(back), windows(forth)].into() }
        }
        "concatenate" => {
            let grid = Grid::new([50, size / PARTS / 105]);
            let parts: Vec<_> = (0..PARTS).map(|_| (add(source(&grid)), 50)).collect();
            Shape::Concatenate(Parts::new(0, &grid, parts).expect("there is an axis"))
        }
        _ => return None,
    })
}
