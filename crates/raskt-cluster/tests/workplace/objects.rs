//! Objects whose packing and reading the test has in its hands.

use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{Buffer, Call, Chunk, Foreign, Kernel, Parcel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Objects that are being packed, and wait until they [`MAY_GO`].
pub static BEING_PACKED: AtomicUsize = AtomicUsize::new(0);

pub static MAY_GO: AtomicBool = AtomicBool::new(false);

/// What happens to an object on its way.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Fate {
    /// It is a number in the end.
    Waits,
    PanicsWhenPacked,
    PanicsWhenRead,
}

/// Makes such objects; each stands for its own number.
#[derive(Clone, Serialize, Deserialize)]
pub struct Objects(pub Fate);

impl Kernel for Objects {
    fn run(&self, call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(self.value(call.index as i64))
    }

    fn name(&self) -> String {
        "objects".into()
    }

    fn wire(&self) -> Option<WireForm> {
        Some(WireForm::of("test.objects", 1, self))
    }
}

impl Objects {
    pub fn value(&self, number: i64) -> Value {
        Value::Foreign(Arc::new(Object { fate: self.0, number }))
    }
}

struct Object {
    fate: Fate,
    number: i64,
}

impl Foreign for Object {
    fn bytes(&self) -> usize {
        8
    }

    fn type_name(&self) -> &str {
        "object"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        let number = Value::from(Chunk::scalar(self.number));
        match self.fate {
            Fate::Waits => {
                BEING_PACKED.fetch_add(1, Ordering::SeqCst);
                until(|| MAY_GO.load(Ordering::SeqCst));
                number.pack()
            }
            Fate::PanicsWhenPacked => panic!("it panics when it is packed"),
            Fate::PanicsWhenRead => Ok(Parcel { form: WireForm::of("test.object", 1, &()), ..number.pack()? }),
        }
    }
}

/// Waits until it is so.
pub fn until(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + super::PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it doesn't come to be");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn add(decoders: &mut Decoders) {
    decoders.add("test.objects", 1, decode);
    decoders.add_value("test.object", 1, read);
}

fn decode(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    Ok(Arc::new(form.read::<Objects>()?))
}

fn read(_form: &WireForm, _pieces: Vec<Buffer>) -> Result<Value, TaskError> {
    panic!("it panics when it is read")
}
