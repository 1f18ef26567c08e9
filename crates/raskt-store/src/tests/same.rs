//! Everybody has the same object of a result that may be changed in place, and no change of it is lost.

use super::*;

/// Does what there is to write; gives it an end of its own if `fails` says so.
fn write_all(state: &mut State, folder: &Arc<Folder>, fails: impl Fn() -> Option<Written>) {
    while let Some(job) = state.jobs.pop_front() {
        let Job::Write { id, value, codec, known, .. } = job else { panic!("a read") };
        let encoded = codec.encode(&value).unwrap();
        drop(value);
        let written = match known.filter(|known| known.holds(&encoded.pieces)) {
            Some(known) => Written::To(known),
            None => fails().unwrap_or_else(|| Written::To(Arc::new(SpillFile::write(folder, encoded).unwrap()))),
        };
        state.wrote(id, written);
    }
    state.garbage.clear();
}

/// A state with one result that may be changed, and a folder.
struct One {
    state: State,
    id: SlotId,
    folder: Arc<Folder>,
    _place: tempfile::TempDir,
    asked: u64,
}

impl One {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::create(place.path()).unwrap());
        let mut state = State::new(200 * UNIT);
        let id = state.keep(Mutable::value(1, false), facts(None), holder(0));
        Self { state, id, folder, _place: place, asked: 0 }
    }

    /// Somebody asks for all memory; writing may end as `fails` says.
    fn push_out(&mut self, fails: impl Fn() -> Option<Written>) {
        self.asked += 1;
        self.state.ask(Request {
            holder: holder(self.asked),
            bytes: 200 * UNIT,
            inputs: vec![],
            small: 0,
            fetched: 0,
            outputs: Outputs::default(),
        });
        write_all(&mut self.state, &self.folder, fails);
        self.state.give_back(holder(self.asked));
        self.state.replies.clear();
        self.state.validate();
    }

    /// The file that there is, and what somebody reads of it without the lock.
    fn read(&self) -> (Arc<SpillFile>, Value) {
        let file = self.state.file(self.id).unwrap();
        let value = file.value().unwrap();
        (file, value)
    }

    /// Somebody fetches it, who is alone.
    fn fetch(&mut self) -> Value {
        let (file, value) = self.read();
        self.state.came_back(self.id, &file, value).unwrap()
    }

    fn number(&mut self) -> u64 {
        let value = self.state.open(self.id).unwrap_or_else(|| self.fetch());
        number_of(&value)
    }
}

fn number_of(value: &Value) -> u64 {
    Mutable::of(value).number.load(Ordering::Relaxed)
}

fn change(value: &Value, number: u64) {
    Mutable::of(value).number.store(number, Ordering::Relaxed);
}

#[test]
fn what_was_read_before_a_change_does_not_come_back_after_it() {
    let mut one = One::new();
    one.push_out(|| None);
    // One takes the file and reads it; another has it meanwhile, changes it, and lets go of it.
    let (file, read) = one.read();
    change(&one.fetch(), 2);
    one.push_out(|| None);
    assert!(one.state.value(one.id).is_none());
    assert!(one.state.came_back(one.id, &file, read).is_none(), "he looks again");
    assert_eq!(one.number(), 2);
    one.state.validate();
}

#[test]
fn who_fetches_while_it_is_being_read_has_the_same_as_everybody() {
    let mut one = One::new();
    one.push_out(|| None);
    let (file, read) = one.read();
    // A task asks for it meanwhile.
    one.state.ask(Request {
        holder: holder(100),
        bytes: 0,
        inputs: vec![(one.id, 100 * UNIT)],
        small: 0,
        fetched: 0,
        outputs: Outputs::of(0, 1),
    });
    assert!(one.state.came_back(one.id, &file, read).is_none(), "nobody has one of his own");
    assert!(one.state.is_closed(one.id), "he waits until it is there");
    let Some(Job::Read { file, .. }) = one.state.jobs.pop_front() else { panic!("a task waits for it") };
    one.state.read(one.id, file.value());
    assert!(!one.state.is_closed(one.id) && one.state.open(one.id).is_some());
    one.state.validate();
}

#[test]
fn what_was_computed_again_by_two_is_one_object_and_older_than_what_has_a_file() {
    let mut one = One::new();
    one.push_out(|| None);
    let (file, _) = one.read();
    one.state.lose_file(one.id, &file);
    // Two compute it again. The first changes what he has.
    let first = one.state.restore(one.id, Mutable::value(1, false), None).unwrap();
    let second = one.state.restore(one.id, Mutable::value(1, false), None).unwrap();
    assert!(Arc::ptr_eq(&object(&first), &object(&second)), "two objects for one result");
    change(&first, 2);
    drop((first, second));
    one.push_out(|| None);
    // A third comes with his when it has a file again.
    assert!(one.state.restore(one.id, Mutable::value(1, false), None).is_none(), "he fetches it");
    assert_eq!(one.number(), 2);
    // What is gone is had by nobody else.
    one.state.remove(one.id);
    assert!(one.state.restore(one.id, Mutable::value(1, false), None).is_some());
}

#[test]
fn a_change_that_cant_be_written_stays_in_memory() {
    let failures: [fn() -> Option<Written>; 2] =
        [|| Some(Written::Trouble("the disk is full".into())), || Some(Written::Never)];
    for fails in failures {
        let mut one = One::new();
        one.push_out(|| None);
        change(&one.fetch(), 2);
        one.push_out(fails);
        assert!(one.state.open(one.id).is_some(), "its file is what it was before the change");
        one.push_out(fails);
        assert_eq!(one.number(), 2);
        one.state.disk.trouble = None;
        one.push_out(|| None);
        assert_eq!(one.number(), 2);
    }
}

#[test]
fn pins_put_in_nothing_that_is_closed() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let pinned = store.keep_unasked(block(1, 1), no_lineage(), facts(None)).unwrap();
    let kept = store.keep_unasked(Mutable::value(1, false), no_lineage(), facts(None)).unwrap();
    let pins = pinned.pin();
    // It begins to be written.
    let begun = kept.shared.change(|state| {
        state.hold_small(400 * UNIT, holder(0));
        state.make_room();
        state.let_go_small(400 * UNIT);
        // No thread comes to it.
        state.jobs.clear();
        state.is_closed(kept.id)
    });
    assert!(begun.unwrap() && kept.in_memory().is_none());
    let mut values = [Value::Stored(pinned.clone()), Value::Stored(kept.clone())];
    assert!(!pins.put_in(&mut values), "its reader waits until it is written");
    assert!(matches!(values, [Value::Chunk(_), Value::Stored(_)]), "it was given to somebody who may change it");
}

#[test]
fn what_is_replaced_by_the_result_itself_may_have_been_the_last_that_kept_it() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let pinned = store.keep_unasked(block(1, 1), no_lineage(), facts(None)).unwrap();
    let kept = store.keep_unasked(block(2, 1), no_lineage(), facts(None)).unwrap();
    let pins = pinned.pin();
    let (sender, receiver) = std::sync::mpsc::channel();
    // Should it wait for itself, it does so for ever.
    std::thread::spawn(move || {
        let mut values = [Value::Stored(kept)];
        let all = pins.put_in(&mut values);
        let _ = sender.send((all, number(&values[0])));
    });
    assert_eq!(receiver.recv_timeout(Duration::from_secs(30)), Ok((true, 2)));
}

/// Threads that change it and let go of it, while others read it and push it out.
#[test]
fn no_change_is_lost_while_it_comes_and_goes() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    // Beyond the one that can't be written.
    let first = PANICS + 1;
    let kept = store.keep_unasked(Mutable::value(first, false), Lineage::none(), facts(None)).unwrap();
    let stop = AtomicBool::new(false);
    let changes = std::thread::scope(|scope| {
        let readers = [0, 1].map(|_| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    drop(kept.fetch().unwrap().unwrap());
                }
            })
        });
        let pusher = scope.spawn(|| {
            for ticket in 0.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let asks_for_it = ticket % 2 == 1;
                let inputs = if asks_for_it { vec![Value::Stored(kept.clone())] } else { vec![] };
                let bytes = if asks_for_it { 0 } else { 400 * UNIT };
                let (answer, pins) = store.ask(Holder { asker, ticket }, bytes, &inputs).unwrap();
                if answer == Answer::Pending {
                    ear.wait_for(ticket);
                }
                drop(pins);
                store.give_back(Holder { asker, ticket });
                ear.heard.lock().clear();
            }
        });
        let until = Instant::now() + Duration::from_millis(1500);
        let mut changes = first;
        while Instant::now() < until {
            changes += 1;
            let value = kept.fetch().unwrap().unwrap();
            let before = Mutable::of(&value).number.fetch_add(1, Ordering::Relaxed);
            assert_eq!(before + 1, changes, "changes were lost");
            drop(value);
            std::thread::sleep(Duration::from_micros(200));
        }
        stop.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        pusher.join().unwrap();
        changes
    });
    assert_eq!(number_of(&kept.fetch().unwrap().unwrap()), changes);
    assert!(store.report().unwrap().files_read > 0);
}
