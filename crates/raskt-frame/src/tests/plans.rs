//! Generated plans: steps of every kind on frames of several partitions, computed here and elsewhere.

use super::evaluator::both;
use super::{number, sample};
use crate::*;
use proptest::prelude::*;
use raskt_graph::GraphBuilder;

/// One step of a program, with numbers that choose what it does.
type Step = (u8, u8, u8);

const NAMES: [&str; 3] = ["x", "i", "k"];

/// The frame after a step; an error if the step makes no sense of it.
fn after(frame: &Frame, (kind, what, how): Step) -> Result<Frame> {
    let name = NAMES[what as usize % 3];
    let value = number(i64::from(how % 7) - 2);
    let own = frame.column(name)?;
    let assigned = |values: Column| frame.assign(&[(name, ColumnOrValue::Column(values))]);
    let pick = |names: &[&'static str]| names[how as usize % names.len()];
    match kind % 22 {
        0 => frame.filter(&own.binary(pick(&["gt", "le", "ne"]), &value, false)?),
        1 => assigned(own.binary(pick(&["add", "sub", "mul", "truediv", "floordiv", "mod"]), &value, how % 2 == 0)?),
        2 => frame.sort(&[own], &[how % 2 == 0], NullPosition::Last, how % 3 == 0),
        3 => frame.head(how as usize % 9),
        4 => frame.tail(how as usize % 9),
        5 => frame.repartition(1 + how as usize % 4),
        6 => frame.unique(Some(&[name]), [Keep::First, Keep::Last, Keep::None][how as usize % 3], false),
        7 => frame.drop_missing(Some(&[name]), false, None),
        8 => Frame::concat(&[frame.clone(), frame.head(2)?], ConcatJoin::Outer, how % 2 == 0),
        9 => assigned(own.cumulative(pick(&["sum", "max", "min"]))?),
        10 => assigned(own.rank(pick(&["average", "min", "first"]), true)?),
        11 => assigned(own.shift(i64::from(how % 5) - 2, &Literal::Missing)?),
        12 => assigned(own.text(pick(&["upper", "len", "lower"]), &[])?),
        13 => {
            let aggregation = |name: &str, function: &str| {
                let (name, column, function) = (name.to_string(), frame.column(name)?, function.to_string());
                Ok::<_, FrameError>(Aggregation { name, column, function, options: ReduceOptions::default() })
            };
            let all = [aggregation("x", pick(&["sum", "mean", "count"]))?, aggregation("i", pick(&["max", "first"]))?];
            frame.group(&[frame.column("k")?], &all, how % 2 == 0, true, false)
        }
        14 => {
            let keys = |frame: &Frame| Ok::<_, FrameError>(JoinKeys::Columns(vec![frame.column(name)?]));
            let how = [JoinHow::Inner, JoinHow::Left, JoinHow::Outer, JoinHow::LeftSemi][how as usize % 4];
            let options = JoinOptions { how, suffixes: (String::new(), "_r".into()), indicator: None };
            let other = frame.head(4)?;
            frame.join(&other, &keys(frame)?, &keys(&other)?, &options)
        }
        15 => frame.set_index(&own, false, false),
        16 => frame.reset_index(true, None),
        17 => assigned(own.fill_missing(&value)?),
        18 => assigned(own.is_in(&[Literal::Int(2), Literal::Text("b".into()), Literal::Float(5.0)])?),
        19 => frame.top(1 + how as usize % 4, &[own], how % 2 == 0),
        20 => frame.pick(&[how as usize % frame.root.partitions]),
        _ => frame.select(&[
            ("x", ColumnOrValue::Column(own.reduce(pick(&["sum", "max", "count"]), ReduceOptions::default())?)),
            ("i", value),
            ("k", ColumnOrValue::Column(frame.column("k")?)),
        ]),
    }
}

fn cases() -> u32 {
    std::env::var("RASKT_PLANS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn plans_give_the_same_elsewhere(steps in prop::collection::vec(any::<Step>(), 1..8)) {
        let frame = steps.into_iter().fold(sample(), |frame, step| after(&frame, step).unwrap_or(frame));
        let output = StageOutput::of_frame(&frame);
        let _ = both(|graph| lower_whole(graph, &output));
        let _ = both(|graph| lower_partitions(graph, &output));
        let _ = both(|graph| lower_persisted(graph, &output));
        let sum = StageOutput::of_column(&frame.column("i").unwrap().reduce("count", ReduceOptions::default()).unwrap());
        let _ = both(|graph: &mut GraphBuilder| {
            lower_together(graph, &[output.clone(), sum.clone()])?;
            lower_whole(graph, &output)?;
            lower_whole(graph, &sum)
        });
    }
}
