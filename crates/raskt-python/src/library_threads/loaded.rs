//! The numerical libraries that this process has loaded.

use super::fn_types::{Get, Set};
use std::ffi::{CStr, CString, c_int, c_void};

/// A library with threads of its own.
pub(super) struct Library {
    pub path: CString,
    pub get: Get,
    pub set: Set,
    /// What is set counts for the thread that sets it, and not for the process.
    pub is_by_thread: bool,
    /// What it had before it was held.
    before: Option<i32>,
}

/// A part of a file's name, whether such a library counts by thread, and its functions.
type Family = (&'static str, bool, &'static [Functions]);

/// The function that sets the number of threads, and the one that gives it.
type Functions = (&'static CStr, &'static CStr);

/// What the name of a file says about the functions in it. The first pair that the library has counts.
const FAMILIES: &[Family] = &[
    (
        "openblas",
        false,
        &[
            (c"scipy_openblas_set_num_threads64_", c"scipy_openblas_get_num_threads64_"),
            (c"scipy_openblas_set_num_threads", c"scipy_openblas_get_num_threads"),
            (c"openblas_set_num_threads64_", c"openblas_get_num_threads64_"),
            (c"openblas_set_num_threads", c"openblas_get_num_threads"),
        ],
    ),
    ("libblas", false, &[(c"openblas_set_num_threads", c"openblas_get_num_threads")]),
    ("mkl_rt", false, &[(c"MKL_Set_Num_Threads", c"MKL_Get_Max_Threads")]),
    ("blis", false, &[(c"bli_thread_set_num_threads", c"bli_thread_get_num_threads")]),
    ("libgomp", true, OPENMP),
    ("libomp", true, OPENMP),
    ("libiomp", true, OPENMP),
];

const OPENMP: &[Functions] = &[(c"omp_set_num_threads", c"omp_get_max_threads")];

impl Library {
    /// Holds the library to `limit` threads, or gives back what it had. Does nothing for one that counts by thread.
    pub fn hold(&mut self, limit: Option<usize>) {
        if self.is_by_thread {
            return;
        }
        match limit {
            Some(limit) => {
                // SAFETY: the function was found in the library under its name, which says what it takes and gives.
                let before = *self.before.get_or_insert_with(|| unsafe { (self.get)() });
                // A library without threads gives 0 or -1, and is left alone.
                if before > 0 {
                    // SAFETY: as above.
                    unsafe { (self.set)(before.min(limit as i32)) };
                }
            }
            None => {
                if let Some(before) = self.before.take().filter(|&before| before > 0) {
                    // SAFETY: as above.
                    unsafe { (self.set)(before) };
                }
            }
        }
    }
}

/// How many times this process has loaded a library.
pub(super) fn count() -> u64 {
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

/// The numerical libraries among those that are loaded.
pub(super) fn find() -> Vec<Library> {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, paths: *mut c_void) -> c_int {
        // SAFETY: the loader gives a valid description, and `paths` is what `find` has passed.
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
    paths.into_iter().filter_map(library).collect()
}

/// The library at `path`, if it is of a family that is known.
fn library(path: CString) -> Option<Library> {
    let text = path.to_str().ok()?;
    let file = text.rsplit('/').next()?;
    let &(_, is_by_thread, names) = FAMILIES.iter().find(|(part, ..)| file.contains(part))?;
    // It is loaded already, and is never unloaded from here on: the handle isn't closed.
    // SAFETY: the path ends in zero; nothing is loaded, so that no code of the library runs.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return None;
    }
    let find = |name: &CStr| {
        // SAFETY: the handle is open, and the name ends in zero.
        let function = unsafe { libc::dlsym(handle, name.as_ptr()) };
        (!function.is_null()).then_some(function)
    };
    let (set, get) = names.iter().find_map(|(set, get)| Some((find(set)?, find(get)?)))?;
    // SAFETY: functions of these names take an `int` and give nothing.
    let set = unsafe { std::mem::transmute::<*mut c_void, Set>(set) };
    // SAFETY: functions of these names take nothing and give an `int`.
    let get = unsafe { std::mem::transmute::<*mut c_void, Get>(get) };
    Some(Library { path, get, set, is_by_thread, before: None })
}
