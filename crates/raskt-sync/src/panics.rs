//! Panics caught where somebody waits for what was being done: told in one sentence, and not printed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// `None` outside of [`guard`]. Within: what the hook learned of a panic.
    static STORY: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What `act` gives; or, if it panics, what it said and where.
///
/// What it changed may be half changed then: whoever calls this uses it no further.
pub fn guard<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    install_hook();
    let outer = STORY.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(act));
    let story = STORY.replace(outer);
    result.map_err(|payload| {
        let told = story.filter(|story| !story.is_empty());
        told.unwrap_or_else(|| message(payload.as_ref()).to_owned())
    })
}

/// Keeps guarded panics off the screen, and those of the threads that libraries run for a task: they come back to the task
/// as panics of its own.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_guarded = STORY.with_borrow_mut(|story| {
                story.as_mut().map(|story| {
                    let place = info.location().map(|place| format!(" ({}:{})", file_name(place.file()), place.line()));
                    *story = format!("{}{}", message(info.payload()), place.unwrap_or_default());
                })
            });
            // The hook of who runs the engine may be the outer one, and keeps the panics of the engine's tasks.
            if is_guarded.is_none() && !is_library_thread() {
                outer(info);
            }
        }));
    });
}

fn is_library_thread() -> bool {
    let thread = std::thread::current();
    thread.name().is_some_and(|name| name.starts_with("polars"))
}

fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_place() {
        assert_eq!(guard(|| 5), Ok(5));
        let story = guard(|| panic!("no {}", "room")).unwrap_err();
        assert!(story.starts_with("no room (panics.rs:"), "{story}");
    }

    #[test]
    fn a_guard_within_another_keeps_its_story_to_itself() {
        let outer = guard(|| {
            guard(|| panic!("inner")).unwrap_err();
            panic!("outer")
        });
        let story = outer.unwrap_err();
        assert!(story.starts_with("outer ("), "{story}");
        assert!(STORY.with_borrow(Option::is_none));
    }

    #[test]
    fn a_payload_without_words_is_told_all_the_same() {
        assert_eq!(guard(|| panic::resume_unwind(Box::new(5))), Err("no message".into()));
    }
}
