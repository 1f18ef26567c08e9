//! What lies in an object, added up: with so much effort at most, each thing once, and without an error whatever it is.

use super::elements::Elements;
use super::others::{attributes, bound, count_in_deque, is_code, own_count, registered};
use super::{SHORT_TEXT, SMALL, Size, arrays, derived_table, of_text, part, plain, scalar};
use hashbrown::{HashMap, HashSet};
use pyo3::prelude::*;
use pyo3::types::{
    PyDict, PyDictMethods, PyFrozenSet, PyFrozenSetMethods, PyList, PySet, PySetMethods, PyString, PyTuple,
};
use raskt_store::Store;
use raskt_value::Part;

/// Adds up what objects hold that are in an object. The effort is bounded: of more objects some are looked at, evenly
/// spread, and the others are taken to be like them.
pub(super) struct Contents {
    /// Those that were met: what is in an object twice is there once.
    met: HashSet<usize>,
    /// Arrays of which others show parts, and how many of their bytes weren't counted yet.
    shown: HashMap<usize, usize>,
    /// Large ones that others may hold as well.
    parts: Vec<Part>,
    /// Small objects that were met: each costs as much as many bytes to write.
    small: usize,
    /// Objects that may yet be looked into.
    left: usize,
    /// Elements that may yet be glanced at.
    glances: usize,
}

/// Objects with something in them that are looked at in all.
const LOOKED_AT: usize = 10_000;

/// Elements of all containers that are told apart into numbers and others, which takes a few nanoseconds each; half of those
/// that are left at most in one container, and some in any.
const GLANCED_AT: usize = 2_000_000;
const SOME: usize = 16;

/// How deep objects lie in each other that are looked at.
const DEEPEST: usize = 64;

/// Small objects with which moving the whole is still about as fast as moving its bytes.
const FEW: usize = 1000;

/// Where more elements are to be looked at than that can be, each of those that are may look at so many in turn.
const EACH: usize = 8;

/// What a container has for each of its elements.
const OF_LIST: usize = 8;
const OF_SET: usize = 48;
const OF_DICTIONARY: usize = 100;

impl Contents {
    pub fn new() -> Self {
        Self {
            met: HashSet::new(),
            shown: HashMap::new(),
            parts: vec![],
            small: 0,
            left: LOOKED_AT,
            glances: GLANCED_AT,
        }
    }

    /// Whether `object` is a container of Python's own.
    pub fn are_in(object: &Bound<'_, PyAny>) -> bool {
        object.is_instance_of::<PyTuple>()
            || object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyDict>()
            || object.is_instance_of::<PySet>()
            || object.is_instance_of::<PyFrozenSet>()
    }

    /// The size of `object` with all that is in it, and the large things that were met in it.
    pub fn measure(mut self, object: &Bound<'_, PyAny>) -> (Size, Vec<Part>) {
        let size = self.add(object, 0, LOOKED_AT);
        (size, self.parts)
    }

    /// The same, of an object that lies so deep, where so many may be looked at.
    fn add(&mut self, object: &Bound<'_, PyAny>, depth: usize, budget: usize) -> Size {
        self.left = self.left.saturating_sub(1);
        if let Some(bytes) = scalar(object) {
            self.small += 1;
            return Size { bytes, moves: (self.small <= FEW).then_some(true) };
        }
        if !self.met.insert(object.as_ptr() as usize) {
            return Size { bytes: 0, moves: Some(true) };
        }
        if let Ok(text) = object.cast_exact::<PyString>() {
            self.small += 1;
            let bytes = of_text(text, text.len().unwrap_or(0));
            return Size { bytes, moves: (self.small <= FEW).then_some(true) };
        }
        if let Some(bytes) = registered(object) {
            return Size { bytes: bytes.max(SMALL.bytes), moves: None };
        }
        let contents = self.of_container(object, depth, budget).or_else(|| Some(self.of_plain(object, plain(object)?)));
        contents.unwrap_or_else(|| self.of_other(object, depth, budget))
    }

    /// What holds no other objects.
    fn of_plain(&mut self, object: &Bound<'_, PyAny>, size: Size) -> Size {
        let size = self.of_shown(object, size);
        if size.bytes >= Store::KEPT_BYTES {
            self.parts.extend(part(object, size));
            return size;
        }
        self.small += 1;
        Size { moves: size.moves.filter(|_| self.small <= FEW), ..size }
    }

    /// Arrays that show parts of one hold no more than it has.
    fn of_shown(&mut self, object: &Bound<'_, PyAny>, size: Size) -> Size {
        let Some((base, bytes)) = arrays::shown_by(object) else { return size };
        let left = self.shown.entry(base).or_insert(bytes);
        let counted = size.bytes.min(*left);
        *left -= counted;
        Size { bytes: counted.max(SMALL.bytes), ..size }
    }

    fn of_container(&mut self, object: &Bound<'_, PyAny>, depth: usize, budget: usize) -> Option<Size> {
        let size = self.of_elements_in(object, depth, budget)?;
        if is_exact(object) { Some(size) } else { Some(self.with_attributes(object, size, depth, budget)) }
    }

    /// What a container of a derived class has beside its elements counts too. Who else refers to it isn't asked where the container
    /// is to leave memory, so that one with attributes stays.
    fn with_attributes(&mut self, object: &Bound<'_, PyAny>, size: Size, depth: usize, budget: usize) -> Size {
        let attributes = Elements::of_list(attributes(object));
        if attributes.count == 0 {
            return size;
        }
        let held = self.of_part(&attributes, depth + 1, budget);
        Size { bytes: size.bytes.saturating_add(held.bytes), moves: None }
    }

    fn of_elements_in(&mut self, object: &Bound<'_, PyAny>, depth: usize, budget: usize) -> Option<Size> {
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return Some(self.of_elements(OF_LIST, &[Elements::of_tuple(tuple.clone())], depth, budget));
        }
        if let Ok(list) = object.cast::<PyList>() {
            return Some(self.of_elements(OF_LIST, &[Elements::of_list(list.clone())], depth, budget));
        }
        if let Ok(dictionary) = object.cast::<PyDict>() {
            let parts = Elements::of_dictionary(dictionary, self.glanced_at(dictionary.len()));
            return Some(self.of_elements(OF_DICTIONARY / 2, &parts, depth, budget));
        }
        let count = object.cast::<PySet>().map(PySetMethods::len);
        let count = count.or_else(|_| object.cast::<PyFrozenSet>().map(PyFrozenSetMethods::len)).ok()?;
        let elements = Elements::first_of(object, count, self.glanced_at(count))?;
        Some(self.of_elements(OF_SET, &[elements], depth, budget))
    }

    /// How many elements are glanced at of so many.
    fn glanced_at(&self, count: usize) -> usize {
        count.min((self.glances / 2).max(SOME))
    }

    /// Elements in a container that takes `each` bytes for one of them.
    fn of_elements(&mut self, each: usize, parts: &[Elements<'_>], depth: usize, budget: usize) -> Size {
        let mut whole = Size { bytes: SMALL.bytes, moves: Some(false) };
        for part in parts {
            let size = self.of_part(part, depth, budget / parts.len());
            whole.bytes = whole.bytes.saturating_add(each.saturating_mul(part.count)).saturating_add(size.bytes);
            whole.moves = whole.moves.and(size.moves).map(|_| false);
        }
        whole
    }

    fn of_part(&mut self, part: &Elements<'_>, depth: usize, budget: usize) -> Size {
        let glanced_at = self.glanced_at(part.len());
        self.glances = self.glances.saturating_sub(glanced_at);
        let (small, others) = self.small_ones(part, glanced_at);
        let budget = if depth < DEEPEST { budget.min(self.left) } else { 0 };
        let is_whole = glanced_at == part.count && others.len() <= budget && self.small <= FEW;
        let large = self.large_ones(part, &others, depth, budget);
        let found = Size { bytes: large.bytes.saturating_add(small), moves: large.moves.filter(|_| is_whole) };
        Size { bytes: scaled(found.bytes, part.count, glanced_at), ..found }
    }

    /// Those of the elements that are at `others`: all, or if that can't be some of them, evenly spread.
    fn large_ones(&mut self, part: &Elements<'_>, others: &[u32], depth: usize, budget: usize) -> Size {
        if budget == 0 {
            return Size { bytes: SMALL.bytes.saturating_mul(others.len()), moves: None };
        }
        let step = if others.len() > budget { others.len().div_ceil((budget / EACH).max(1)) } else { 1 };
        let count = others.len().div_ceil(step);
        let (mut whole, mut left) = (Size { bytes: 0, moves: Some(false) }, budget);
        for (done, at) in others.iter().step_by(step).enumerate() {
            let Some(element) = part.get(*at as usize) else { break };
            let before = self.left;
            let size = self.add(&element, depth + 1, left / (count - done));
            left = left.saturating_sub(before - self.left);
            whole.bytes = whole.bytes.saturating_add(size.bytes);
            whole.moves = whole.moves.and(size.moves).map(|_| false);
        }
        Size { bytes: scaled(whole.bytes, others.len(), count), ..whole }
    }

    /// Bytes of the numbers and short texts among `count` elements, evenly spread, and where the others are.
    fn small_ones(&mut self, part: &Elements<'_>, count: usize) -> (usize, Vec<u32>) {
        let (mut bytes, mut others, mut last) = (0, vec![], 0);
        for at in (0..count).map(|at| at * (part.len() / count)) {
            let Some(element) = part.get(at) else { break };
            if let Some(size) = short_text(&element).or_else(|| scalar(&element)) {
                self.small += 1;
                // One after the other, the same object is there once.
                let address = element.as_ptr() as usize;
                let is_same = std::mem::replace(&mut last, address) == address;
                bytes += if is_same { 0 } else { size };
            } else {
                others.push(at as u32);
            }
        }
        (bytes, others)
    }

    /// An object of a class that nobody knows: what it says, or what its attributes hold if that is more.
    fn of_other(&mut self, object: &Bound<'_, PyAny>, depth: usize, budget: usize) -> Size {
        if is_code(object) {
            let bound = if depth < DEEPEST && budget > 0 { bound(object) } else { None };
            let held = bound.map_or(0, |bound| self.of_part(&Elements::of_list(bound), depth + 1, budget).bytes);
            return Size { bytes: held.saturating_add(SMALL.bytes), moves: None };
        }
        if let Some(table) = derived_table(object) {
            return table;
        }
        let own = own_count(object);
        let mut held = 0_usize;
        if let Some(count) = count_in_deque(object) {
            let elements = Elements::first_of(object, count, self.glanced_at(count));
            held = elements.map_or(0, |elements| self.of_elements(OF_LIST, &[elements], depth, budget).bytes);
        }
        if depth < DEEPEST && budget > 0 {
            let attributes = Elements::of_list(attributes(object));
            held = held.saturating_add(self.of_part(&attributes, depth + 1, budget).bytes);
        }
        Size { bytes: own.max(held).max(SMALL.bytes), moves: None }
    }
}

/// The size of a text that isn't worth the effort to see whether it is in a container many times and in memory once.
fn short_text(element: &Bound<'_, PyAny>) -> Option<usize> {
    let text = element.cast_exact::<PyString>().ok()?;
    let length = text.len().unwrap_or(0);
    (length < SHORT_TEXT).then(|| of_text(text, length))
}

/// Whether a container is one of Python's own classes itself.
fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyDict>()
        || object.is_exact_instance_of::<PySet>()
        || object.is_exact_instance_of::<PyFrozenSet>()
}

/// What `of` are likely to hold if `some` of them hold so many bytes.
fn scaled(bytes: usize, of: usize, some: usize) -> usize {
    if some == of || some == 0 {
        return bytes;
    }
    usize::try_from(bytes as u128 * of as u128 / some as u128).unwrap_or(usize::MAX)
}
