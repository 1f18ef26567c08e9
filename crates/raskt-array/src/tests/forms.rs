//! Kernels whose forms were changed on their way, run over small blocks: whatever they have become, a task gives a result or an error.

use super::wire::{decoders, expression};
use super::*;
use crate::blocks::agree::Compare;
use crate::blocks::native::Pick;
use crate::wire::BlockKernel;
use crate::{Index, Scan, Ufunc, linalg};
use proptest::prelude::*;
use raskt_graph::{GraphBuilder, Lower, TaskId};
use raskt_value::wire::WireForm;
use raskt_value::{Call, CancelToken, DType, Kernel, Manifest, NativeOp, Scalar, TaskError, Value};

/// A kernel as it travels, and tasks of it with what they read.
struct Case {
    form: WireForm,
    tasks: Vec<(u64, Vec<Value>)>,
}

/// The kernels that expressions lower to, all of them.
fn cases() -> Vec<Case> {
    expression().iter().chain(&more()).flat_map(cases_of).collect()
}

fn more() -> Vec<Array> {
    let matrix = |chunks: &[&[usize]]| counted(chunks).0.astype(DType::F64);
    let add = |one: &Array, other: &Array| {
        Array::map(Ufunc::from_name("add").unwrap(), &[one.clone().into(), other.clone().into()]).unwrap()
    };
    let (x, tall) = (matrix(&[&[2, 1], &[3]]), matrix(&[&[4, 4], &[2]]));
    // Rows of which nobody knows how many there are.
    let (numbers, _) = counted(&[&[2, 1]]);
    let mask = Array::map(Ufunc::from_name("greater").unwrap(), &[numbers.into(), Scalar::Int(0).into()]).unwrap();
    let rows = |array: &Array| array.index(&[Index::Mask(mask.clone())]).unwrap();
    let (found, doubled) = (rows(&x), rows(&add(&x, &x)));
    let [q, _] = <[Array; 2]>::from(linalg::qr(&tall).unwrap());
    let (u, ..) = linalg::svd(&tall).unwrap();
    let (solution, ..) = linalg::lstsq(&tall, &matrix(&[&[4, 4], &[1]])).unwrap();
    let line = Chunks::from_lengths(&[vec![3, 3]]);
    let range = Array::arange(Scalar::Int(1), Scalar::Int(2), DType::I64, line).unwrap();
    vec![
        add(&found, &doubled),
        Array::concatenate(&[found.clone(), doubled], 1).unwrap(),
        found.cumulative(Scan::Sum, Some(0), None).unwrap(),
        found.cumulative(Scan::Prod, Some(0), Some(DType::C64)).unwrap(),
        x.reshape(&[-1]).unwrap(),
        x.block_shapes(),
        Array::concatenate(&[x.clone(), x.transpose(None).unwrap()], 0).unwrap(),
        counted(&[&[2, 2], &[2, 1]]).0.cumulative(Scan::Prod, Some(0), None).unwrap(),
        counted(&[&[2, 2], &[2, 1]]).0.cumulative(Scan::Sum, Some(1), None).unwrap(),
        range.index(&[Index::Slice { start: None, stop: None, step: Some(-1) }]).unwrap(),
        q,
        u,
        solution,
    ]
}

fn cases_of(array: &Array) -> Vec<Case> {
    let mut graph = GraphBuilder::for_travel();
    array.lower(&mut graph).unwrap();
    let (graph, cancel) = (graph.finish(), CancelToken::default());
    let (mut results, mut cases) = (Vec::<Vec<Value>>::new(), vec![]);
    for (id, layer) in graph.layers() {
        let NativeOp(kernel) = graph.op(layer.op).body.downcast_ref().expect("all ops of these tests are native");
        let mut tasks = vec![];
        for index in 0..layer.len() {
            let mut inputs = vec![];
            let of = |task: TaskId| results[task.layer.0 as usize][task.index as usize].clone();
            graph.for_each_input(TaskId::new(id, index), |task| inputs.push(of(task)));
            tasks.push((index, inputs));
        }
        let run = |(index, inputs): &(u64, Vec<Value>)| {
            kernel.run(&Call { index: *index, threads: 1, cancel: &cancel }, inputs).unwrap()
        };
        results.push(tasks.iter().map(run).collect());
        cases.extend(kernel.wire().map(|form| Case { form, tasks }));
    }
    cases
}

thread_local!(static CASES: Vec<Case> = cases());

/// The first byte of a form says which kernel it is.
#[test]
fn every_kernel_that_travels_is_among_them() {
    let found: std::collections::BTreeSet<u8> =
        CASES.with(|cases| cases.iter().map(|case| case.form.body[0]).collect());
    assert_eq!(found, (0..20).collect());
}

/// Where something is changed, and into what.
#[derive(Clone, Debug)]
enum Change {
    Byte(prop::sample::Index, u8),
    /// A number into a large one, which takes more bytes.
    Number(prop::sample::Index, u64),
}

fn change() -> impl Strategy<Value = Change> {
    let large =
        prop::sample::select(vec![300, 70_000, 1 << 48, 1 << 62, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX]);
    prop_oneof![
        3 => (any::<prop::sample::Index>(), 0..40_u8).prop_map(|(at, byte)| Change::Byte(at, byte)),
        1 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        2 => (any::<prop::sample::Index>(), large).prop_map(|(at, number)| Change::Number(at, number)),
    ]
}

impl Change {
    fn apply(&self, body: &mut Vec<u8>) {
        match self {
            Self::Byte(at, byte) => {
                let at = at.index(body.len());
                body[at] = *byte;
            }
            Self::Number(at, number) => {
                let at = at.index(body.len());
                body.splice(at..=at, varint(*number));
            }
        }
    }
}

/// Seven bits a byte, the lowest first, as `postcard` has it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// What becomes of what a task reads.
#[derive(Clone, Debug)]
enum Reads {
    Same,
    Fewer,
    /// What a task of another kernel reads.
    OfAnother(prop::sample::Index, prop::sample::Index),
}

fn reads() -> impl Strategy<Value = Reads> {
    let other = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    prop_oneof![
        4 => Just(Reads::Same),
        1 => Just(Reads::Fewer),
        2 => other.prop_map(|(case, task)| Reads::OfAnother(case, task)),
    ]
}

/// Blocks of which an axis is longer take a while to make.
const SHORT: usize = 1 << 6;
/// Blocks of which an axis is longer don't fit any memory.
const ENDLESS: usize = 1 << 47;

/// How a kernel can be run here: nothing if its blocks are neither small nor so large that they are refused.
fn runs_with(form: &WireForm) -> Option<CancelToken> {
    let cancel = CancelToken::default();
    if let Ok(BlockKernel::Fused(fused)) = form.read() {
        let mut longest = fused.chunks.axes().iter().filter_map(crate::AxisChunks::longest);
        if longest.clone().any(|length| (SHORT + 1..ENDLESS).contains(&length)) {
            return None;
        }
        if longest.any(|length| length > SHORT) {
            cancel.cancel();
        }
    }
    Some(cancel)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_form_that_was_changed_gives_results_or_errors(
        which in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 0..3),
        task in any::<prop::sample::Index>(), reads in reads(), beyond in prop::option::weighted(0.1, any::<u64>()),
    ) {
        CASES.with(|cases| {
            let case = which.get(cases);
            let mut form = case.form.clone();
            changes.iter().for_each(|change| change.apply(&mut form.body));
            let (Ok(kernel), Some(cancel)) = (decoders().decode(&form), runs_with(&form)) else { return };
            let (index, inputs) = task.get(&case.tasks);
            let inputs = match &reads {
                Reads::Same => inputs.clone(),
                Reads::Fewer => inputs[..inputs.len().saturating_sub(1)].to_vec(),
                Reads::OfAnother(case, task) => task.get(&case.get(cases).tasks).1.clone(),
            };
            let call = Call { index: beyond.unwrap_or(*index), threads: 1, cancel: &cancel };
            let _ = kernel.run(&call, &inputs);
        });
    }
}

fn run(kernel: &dyn Kernel, inputs: &[Value]) -> Result<Value, TaskError> {
    kernel.run(&Call { index: 0, threads: 1, cancel: &CancelToken::default() }, inputs)
}

#[test]
fn a_result_is_picked_of_those_that_are_there() {
    let parts: Vec<Value> = (0..2_i64).map(|number| Chunk::scalar(number).into()).collect();
    let several = [Value::Manifest(Manifest { parts }.into())];
    let picked = |at: usize| run(&BlockKernel::from(Pick(at)), &several);
    assert_eq!(picked(1).unwrap().as_chunk().unwrap().as_slice::<i64>(), Some(&[1][..]));
    assert!(picked(2).unwrap_err().message.contains("no result 2 of 2"));
}

#[test]
fn elements_are_taken_of_the_blocks_that_were_promised() {
    let (x, _) = counted(&[&[2, 2], &[3]]);
    let taken = cases_of(&x.take(&[0, 3], 0).unwrap());
    let case = taken.iter().find(|case| case.tasks[0].1.len() == 2).expect("two blocks are read");
    let kernel = decoders().decode(&case.form).unwrap();
    let blocks = &case.tasks[0].1;
    assert!(run(&*kernel, blocks).is_ok());
    let refused = |inputs: &[Value]| run(&*kernel, inputs).unwrap_err().message;
    assert!(refused(&blocks[..1]).contains("1 blocks came where 2"));
    let shaped = |shape: &[usize]| Value::from(Chunk::from_vec(vec![0_i64; shape.iter().product()], shape).unwrap());
    assert!(refused(&[blocks[0].clone(), shaped(&[3, 3])]).contains("length 3 along axis 0, not 2"));
    assert!(refused(&[shaped(&[]), shaped(&[])]).contains("axis 0"));
}

/// What stands before a block isn't left out because it is of another type.
#[test]
fn a_running_sum_goes_on_from_what_stands_before_it() {
    let (x, _) = counted(&[&[2, 2]]);
    let cases = cases_of(&x.cumulative(Scan::Sum, Some(0), None).unwrap());
    let case = cases.iter().find(|case| case.tasks.len() == 2 && case.tasks[1].1.len() == 2).expect("two sums");
    let kernel = decoders().decode(&case.form).unwrap();
    let (index, inputs) = &case.tasks[1];
    let sum = |before: Chunk| {
        let call = Call { index: *index, threads: 1, cancel: &CancelToken::default() };
        kernel.run(&call, &[inputs[0].clone(), before.into()])
    };
    let found = sum(Chunk::from_vec(vec![10_i64, 20], &[2]).unwrap()).unwrap();
    assert_eq!(found.as_chunk().unwrap().as_slice::<i64>(), Some(&[12, 15][..]));
    assert!(sum(Chunk::from_vec(vec![10.0, 20.0], &[2]).unwrap()).is_err());
    assert!(sum(Chunk::from_vec(Vec::<i64>::new(), &[0]).unwrap()).is_err());
}

#[test]
fn a_kernel_too_large_to_travel_says_how_large_it_is() {
    // Twenty bytes each.
    let kernel = BlockKernel::from(Compare { pairs: vec![(usize::MAX, usize::MAX); 1 << 22] });
    assert!(kernel.wire().is_none());
    let why = kernel.stays_because().unwrap();
    assert!(why.contains("`raskt.array`") && why.contains("83886085 bytes"), "{why}");
}
