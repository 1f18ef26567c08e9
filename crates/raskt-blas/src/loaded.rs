//! What the process has loaded.

use crate::family::OF_MACHINES;
use crate::library::Library;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What was found so far.
pub(crate) struct Found {
    /// How many times the process had loaded something then.
    seen: u64,
    pub libraries: Vec<&'static Library>,
}

static FOUND: Mutex<Found> = Mutex::new(Found { seen: 0, libraries: vec![] });

/// The library that multiplies, once there is one.
static BEST: OnceLock<&'static Library> = OnceLock::new();

/// What was found so far: nobody else looks at it meanwhile.
pub(crate) fn found() -> MutexGuard<'static, Found> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numerical libraries that the process has loaded by now, in the order in which they were found: those that were stay where they are.
pub fn libraries() -> Vec<&'static Library> {
    crate::fork::register();
    let mut found = found();
    found.look();
    found.libraries.clone()
}

/// The library that multiplies matrices best, of those that the process has loaded, or else of those that the machine has. It stays the
/// same once there is one: results don't change by what is loaded later.
pub fn best() -> Option<&'static Library> {
    if let Some(best) = BEST.get() {
        return Some(best);
    }
    let find = || libraries().into_iter().find(|library| library.blas().is_some());
    let found = find().or_else(|| {
        load_of_machine();
        find()
    })?;
    Some(BEST.get_or_init(|| found))
}

impl Found {
    fn look(&mut self) {
        let loads = count();
        if loads == self.seen {
            return;
        }
        self.seen = loads;
        for path in paths() {
            if self.libraries.iter().all(|known| *known.path() != *path)
                && let Some(library) = Library::at(&path)
            {
                self.libraries.push(Box::leak(Box::new(library)));
            }
        }
    }
}

/// Loads a library that the machine has, if it wasn't tried before.
fn load_of_machine() {
    static TRIED: OnceLock<()> = OnceLock::new();
    TRIED.get_or_init(|| {
        // SAFETY: the names end in zero. What these libraries do when they are loaded is what they do in any program that is linked to them.
        let load = |name: &&CStr| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        let _ = OF_MACHINES.iter().map(load).find(|handle| !handle.is_null());
    });
}

/// How many times this process has loaded a library.
fn count() -> u64 {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, loads: *mut c_void) -> c_int {
        // SAFETY: the loader gives a valid description, and `loads` is what `count` has passed.
        unsafe { *loads.cast::<u64>() = (*info).dlpi_adds };
        1
    }
    let mut loads = 0_u64;
    // SAFETY: the callback writes to `loads`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut loads).cast()) };
    loads
}

/// The files of all libraries that are loaded.
fn paths() -> Vec<CString> {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, paths: *mut c_void) -> c_int {
        // SAFETY: the loader gives a valid description, and `paths` is what was passed.
        let (name, paths) = unsafe { ((*info).dlpi_name, &mut *paths.cast::<Vec<CString>>()) };
        if !name.is_null() {
            // SAFETY: the loader's names end in zero.
            paths.push(unsafe { CStr::from_ptr(name) }.to_owned());
        }
        0
    }
    let mut paths: Vec<CString> = vec![];
    // SAFETY: the callback writes to `paths`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut paths).cast()) };
    paths
}
