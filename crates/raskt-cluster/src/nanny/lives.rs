//! How long those wait who have lived for a while.

use super::backoff::Waits;
use super::tests::{LIVES, dies, one};
use std::time::Duration;

#[test]
fn who_has_lived_for_longer_than_he_would_wait_does_not_wait() {
    let (mut supervisor, id) = one(LIVES);
    let (waits, mut now) = (Waits::default(), Duration::ZERO);
    for _ in 0..12 {
        now += dies(&mut supervisor, id, now);
    }
    now += waits.longest / 4;
    let last = dies(&mut supervisor, id, now);
    assert!(last >= waits.longest / 4 && last <= waits.longest * 3 / 4, "what he has lived is a part of it: {last:?}");
    assert_eq!(dies(&mut supervisor, id, now + last + waits.longest), Duration::ZERO);
}
