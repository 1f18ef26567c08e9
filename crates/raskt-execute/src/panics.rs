//! Panics inside tasks: caught, told in one sentence, and not printed.

use raskt_value::{ErrorKind, TaskError};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// `None` outside tasks. Within one: what the hook learned of a panic.
    static IN_TASK: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `task`; a panic in it becomes an error that says what and where.
pub(crate) fn catch<T>(task: impl FnOnce() -> Result<T, TaskError>) -> Result<T, TaskError> {
    install_hook();
    let outer = IN_TASK.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(task));
    let story = IN_TASK.replace(outer);
    result.unwrap_or_else(|payload| {
        let told = story.filter(|story| !story.is_empty());
        let told = told.unwrap_or_else(|| message(payload.as_ref()).to_owned());
        Err(TaskError::new(ErrorKind::Panic, format!("a kernel panicked, which is a bug in raskt: {told}")))
    })
}

/// Keeps panics of tasks off the screen, and of the threads that libraries run for a task: those come back to the task
/// as panics of its own.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let in_task = IN_TASK.with_borrow_mut(|story| {
                story.as_mut().map(|story| {
                    let place = info.location().map(|place| format!(" ({}:{})", file_name(place.file()), place.line()));
                    *story = format!("{}{}", message(info.payload()), place.unwrap_or_default());
                })
            });
            // The hook of who runs the engine may be the outer one, and keeps the panics of the engine's tasks.
            if in_task.is_none() && !is_library_thread() {
                outer(info);
            }
        }));
    });
}

fn is_library_thread() -> bool {
    let thread = std::thread::current();
    thread.name().is_some_and(|name| name.starts_with("polars"))
}

fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
