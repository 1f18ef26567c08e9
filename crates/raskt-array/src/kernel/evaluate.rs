//! Runs programs over regions.

use super::engine::Engine;
use super::room::room;
use super::{Program, Region};
use raskt_value::{CancelToken, Chunk, Element, TaskError, with_element};

/// The first output of `program` over `region`.
///
/// Each input is broadcast to the shape of the region by NumPy's rules: its axes are aligned at the end, and an axis
/// of length 1 is repeated. Inputs without gaps are read in place.
pub fn evaluate(
    program: &Program,
    region: &Region,
    inputs: &[&Chunk],
    cancel: &CancelToken,
) -> Result<Chunk, TaskError> {
    let engine = Engine::new(program, region, inputs, &program.outputs()[..1])?;
    let mut outputs = run(engine, region, cancel)?;
    Ok(outputs.swap_remove(0))
}

/// All outputs of `program` over `region`, as [`evaluate`] gives the first.
pub fn evaluate_all(
    program: &Program,
    region: &Region,
    inputs: &[&Chunk],
    cancel: &CancelToken,
) -> Result<Vec<Chunk>, TaskError> {
    let engine = Engine::new(program, region, inputs, program.outputs())?;
    run(engine, region, cancel)
}

fn run(mut engine: Engine<'_>, region: &Region, cancel: &CancelToken) -> Result<Vec<Chunk>, TaskError> {
    let length = region.len();
    let mut blocks = Vec::new();
    for output in engine.output_dtypes() {
        blocks.push(with_element!(output, T => Block::new::<T>(length)?));
    }
    let starts: Vec<*mut u8> = blocks.iter_mut().map(|block| block.start).collect();
    engine.for_each_tile(length, cancel, |engine, start, count| engine.run_into(start, count, &starts))?;
    // SAFETY: all of `length` elements of each block were written.
    Ok(blocks.into_iter().map(|block| unsafe { (block.finish)(block.owner, &region.shape) }).collect())
}

/// Room for an output, and how to make a chunk of it.
struct Block {
    start: *mut u8,
    owner: Box<dyn std::any::Any>,
    finish: unsafe fn(Box<dyn std::any::Any>, &[usize]) -> Chunk,
}

impl Block {
    fn new<T: Element>(length: usize) -> Result<Self, TaskError> {
        let mut elements = room::<T>(length)?;
        Ok(Self { start: elements.as_mut_ptr().cast(), owner: Box::new(elements), finish: finish::<T> })
    }
}

/// The chunk over the vector of `T` in `owner`.
///
/// # Safety
/// All elements of `shape` were written.
unsafe fn finish<T: Element>(owner: Box<dyn std::any::Any>, shape: &[usize]) -> Chunk {
    let mut elements = *owner.downcast::<Vec<T>>().expect("the vector that was made with this function");
    // SAFETY: the vector was made with this capacity, and the caller promises that all is written.
    unsafe { elements.set_len(shape.iter().product()) };
    Chunk::from_vec(elements, shape).expect("as many elements as the shape says")
}
