//! Results whose files are whole, and that can't be had for once: of a signal, say, while they are decoded.

use super::*;

/// A number that can't be decoded so often.
struct Moody {
    number: u64,
    failures: Arc<AtomicU64>,
}

impl Moody {
    fn value(number: u64, failures: &Arc<AtomicU64>) -> Value {
        Value::Foreign(Arc::new(Self { number, failures: failures.clone() }))
    }

    fn number(value: &Value) -> u64 {
        let Value::Foreign(object) = value else { panic!("another kind of value came") };
        object.as_any().downcast_ref::<Self>().unwrap().number
    }
}

impl Foreign for Moody {
    fn bytes(&self) -> usize {
        100 * UNIT as usize
    }

    fn type_name(&self) -> &str {
        "moody"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(MoodyCodec { may_change: self.number.is_multiple_of(2) }))
    }
}

struct MoodyCodec {
    may_change: bool,
}

impl Codec for MoodyCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let Value::Foreign(object) = value else { panic!("another kind of value came") };
        let Moody { number, failures } = object.as_any().downcast_ref().unwrap();
        let (number, failures) = (*number, failures.clone());
        let decoder =
            move |_| match failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
                Ok(_) => Err(TaskError::new(ErrorKind::Foreign, "not now")),
                Err(_) => Ok(Moody::value(number, &failures)),
            };
        Ok(Encoded { pieces: vec![Buffer::from_vec(vec![number])], decoder: Arc::new(decoder) })
    }

    fn may_change(&self) -> bool {
        self.may_change
    }
}

/// A store, and results of it that are all on disk. They can't be decoded so often once somebody sets it.
fn on_disk(failures: &Arc<AtomicU64>) -> (Store, Arc<Ear>, u32, Vec<Arc<StoredRef>>, tempfile::TempDir) {
    let (store, ear, asker, place) = store(200 * UNIT);
    let keep = |number| store.keep_unasked(Moody::value(number, failures), no_lineage(), facts(None)).unwrap();
    let kept = (0..4).map(keep).collect();
    squeeze(&store, &ear, asker, 1);
    (store, ear, asker, kept, place)
}

#[test]
fn who_fetches_what_isnt_decoded_is_told_why_and_its_file_stays() {
    let failures = Arc::default();
    let (store, _ear, _asker, kept, _place) = on_disk(&failures);
    for (number, kept) in kept.iter().enumerate() {
        failures.store(3, Ordering::Relaxed);
        for _ in 0..3 {
            assert_eq!(kept.fetch().unwrap_err().message, "not now");
        }
        assert_eq!(Moody::number(&kept.fetch().unwrap().unwrap()), number as u64);
    }
    assert_eq!(store.counts().lost, 0);
    store.validate();
}

#[test]
fn a_task_whose_input_isnt_decoded_reads_it_itself() {
    let failures = Arc::default();
    let (store, ear, asker, kept, _place) = on_disk(&failures);
    for (number, kept) in kept.iter().enumerate() {
        failures.store(2, Ordering::Relaxed);
        let holder = Holder { asker, ticket: 10 + number as u64 };
        let mut inputs = [Value::Stored(kept.clone())];
        let (answer, pins) = store.ask(holder, 0, &inputs).unwrap();
        if answer == Answer::Pending {
            assert!(matches!(ear.wait_for(holder.ticket), Reply::Promised { is_loading: true }));
        }
        assert!(matches!(ear.wait_for(holder.ticket), Reply::Loaded));
        assert!(!pins.put_in(&mut inputs));
        assert!(kept.fetch().is_err());
        assert_eq!(Moody::number(&kept.fetch().unwrap().unwrap()), number as u64);
        drop(pins);
        store.give_back(holder);
        squeeze(&store, &ear, asker, 100 + number as u64);
    }
    assert_eq!(store.counts().lost, 0);
}

#[test]
fn many_who_fetch_what_isnt_always_decoded_all_have_it_in_the_end() {
    let failures = Arc::default();
    let (store, _ear, _asker, kept, _place) = on_disk(&failures);
    for (number, kept) in kept.iter().enumerate() {
        failures.store(50, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let found = std::iter::repeat_with(|| kept.fetch()).find_map(Result::ok).unwrap();
                    assert_eq!(Moody::number(&found.unwrap()), number as u64);
                });
            }
        });
    }
    assert_eq!(store.counts().lost, 0);
    store.validate();
}
