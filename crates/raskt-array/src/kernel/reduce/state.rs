//! How states of reductions are kept in blocks.

use raskt_value::{Chunk, Element};

/// What is known of some items: plain data that is kept in one block for each of its fields.
pub(super) trait State: Copy {
    /// The fields of `states`, each a block of `shape`.
    fn store(states: &[Self], shape: &[usize]) -> Vec<Chunk>;
    /// The states that are in `fields`, if they are of the right types.
    fn load(fields: &[Chunk]) -> Option<Vec<Self>>;
}

pub(super) fn stored<T: Element>(elements: impl Iterator<Item = T>, shape: &[usize]) -> Chunk {
    Chunk::from_vec(elements.collect(), shape).expect("a state for each element of the shape")
}

pub(super) fn loaded<T: Element>(field: Option<&Chunk>) -> Option<Vec<T>> {
    field?.to_contiguous().as_slice::<T>().map(<[T]>::to_vec)
}

/// A state that is one number.
impl<T: Element> State for T {
    fn store(states: &[Self], shape: &[usize]) -> Vec<Chunk> {
        vec![stored(states.iter().copied(), shape)]
    }

    fn load(fields: &[Chunk]) -> Option<Vec<Self>> {
        loaded(fields.first())
    }
}

/// A number, and of how many items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<T> {
    pub value: T,
    pub count: i64,
}

impl<T: Element> State for Counted<T> {
    fn store(states: &[Self], shape: &[usize]) -> Vec<Chunk> {
        vec![
            stored(states.iter().map(|state| state.value), shape),
            stored(states.iter().map(|state| state.count), shape),
        ]
    }

    fn load(fields: &[Chunk]) -> Option<Vec<Self>> {
        let pairs = loaded::<T>(fields.first())?.into_iter().zip(loaded::<i64>(fields.get(1))?);
        Some(pairs.map(|(value, count)| Self { value, count }).collect())
    }
}

/// How many items, their mean and the sum of the squares of what they are away from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread<T> {
    pub count: i64,
    pub mean: T,
    pub squares: f64,
}

impl<T: Element> State for Spread<T> {
    fn store(states: &[Self], shape: &[usize]) -> Vec<Chunk> {
        vec![
            stored(states.iter().map(|state| state.count), shape),
            stored(states.iter().map(|state| state.mean), shape),
            stored(states.iter().map(|state| state.squares), shape),
        ]
    }

    fn load(fields: &[Chunk]) -> Option<Vec<Self>> {
        let (counts, means) = (loaded::<i64>(fields.first())?, loaded::<T>(fields.get(1))?);
        let squares = loaded::<f64>(fields.get(2))?;
        let all = counts.into_iter().zip(means).zip(squares);
        Some(all.map(|((count, mean), squares)| Self { count, mean, squares }).collect())
    }
}

/// The extreme item and its number; the number is -1 if there was no item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<T> {
    pub value: T,
    pub number: i64,
}

impl<T: Element> State for Found<T> {
    fn store(states: &[Self], shape: &[usize]) -> Vec<Chunk> {
        vec![
            stored(states.iter().map(|state| state.value), shape),
            stored(states.iter().map(|state| state.number), shape),
        ]
    }

    fn load(fields: &[Chunk]) -> Option<Vec<Self>> {
        let pairs = loaded::<T>(fields.first())?.into_iter().zip(loaded::<i64>(fields.get(1))?);
        Some(pairs.map(|(value, number)| Self { value, number }).collect())
    }
}
