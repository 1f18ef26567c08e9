//! Files stay within the limit of the disk, however large results turn out to be when they are written.

use super::*;

/// Something that is written as so many bytes, whatever it says of its size.
struct Growing(AtomicU64);

impl Growing {
    fn value(bytes: u64) -> Value {
        Value::Foreign(Arc::new(Self(AtomicU64::new(bytes))))
    }

    fn of(value: &Value) -> &AtomicU64 {
        let Value::Foreign(object) = value else { panic!("another kind of value came") };
        &object.as_any().downcast_ref::<Self>().unwrap().0
    }
}

impl Foreign for Growing {
    fn bytes(&self) -> usize {
        100 * UNIT as usize
    }

    fn type_name(&self) -> &str {
        "growing"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(GrowingCodec))
    }
}

struct GrowingCodec;

impl Codec for GrowingCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let bytes = Growing::of(value).load(Ordering::Relaxed);
        let pieces = vec![Buffer::from_vec(vec![0_u8; bytes as usize])];
        Ok(Encoded { pieces, decoder: Arc::new(move |_| Ok(Growing::value(bytes))) })
    }

    fn may_change(&self) -> bool {
        true
    }
}

/// A store of little memory that may have files of so many bytes, with one result.
fn limited(disk: u64, bytes: u64) -> (Store, Arc<Ear>, u32, Arc<StoredRef>, tempfile::TempDir) {
    let (store, ear, asker, place) = store(200 * UNIT);
    store.set_limits(Limits { memory: 200 * UNIT, disk, spill_path: Some(place.path().into()) });
    let kept = store.keep_unasked(Growing::value(bytes), no_lineage(), facts(None)).unwrap();
    squeeze(&store, &ear, asker, 1);
    (store, ear, asker, kept, place)
}

#[test]
fn what_has_grown_since_it_was_written_stays_where_there_is_no_room_for_it() {
    let (store, ear, asker, kept, place) = limited(150 * UNIT, 100 * UNIT);
    assert!(kept.in_memory().is_none());
    Growing::of(&kept.fetch().unwrap().unwrap()).store(151 * UNIT, Ordering::Relaxed);
    (2..10).for_each(|ticket| squeeze(&store, &ear, asker, ticket));
    let report = store.report().unwrap();
    assert!(report.spilled <= 150 * UNIT, "{} bytes lie on the disk", report.spilled);
    assert_eq!(Growing::of(&kept.in_memory().unwrap()).load(Ordering::Relaxed), 151 * UNIT, "what it is was lost");
    // It leaves when there is room.
    store.set_limits(Limits { memory: 200 * UNIT, disk: 152 * UNIT, spill_path: Some(place.path().into()) });
    squeeze(&store, &ear, asker, 10);
    assert!(kept.in_memory().is_none());
    assert_eq!(Growing::of(&kept.fetch().unwrap().unwrap()).load(Ordering::Relaxed), 151 * UNIT);
}

#[test]
fn what_was_changed_is_written_in_the_place_of_its_old_file_where_there_is_no_room_for_both() {
    let (store, ear, asker, kept, _place) = limited(150 * UNIT, 100 * UNIT);
    Growing::of(&kept.fetch().unwrap().unwrap()).store(120 * UNIT, Ordering::Relaxed);
    squeeze(&store, &ear, asker, 2);
    assert!(kept.in_memory().is_none(), "it would fit");
    assert_eq!(Growing::of(&kept.fetch().unwrap().unwrap()).load(Ordering::Relaxed), 120 * UNIT);
    assert!(store.report().unwrap().spilled <= 150 * UNIT);
}

#[test]
fn what_is_larger_than_it_says_isnt_written_beyond_the_limit_and_not_tried_without_end() {
    let (store, ear, asker, kept, _place) = limited(150 * UNIT, 200 * UNIT);
    assert!(kept.in_memory().is_some());
    let before = store.counts().looked_at;
    (2..10).for_each(|ticket| squeeze(&store, &ear, asker, ticket));
    let looked = store.counts().looked_at - before;
    assert!(looked < 200 && store.report().unwrap().spilled == 0, "{looked} looks");
}
