//! One library.

use crate::family::Family;
use crate::holding::Holds;
use crate::products::Blas;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::NonNull;
use std::sync::Mutex;

/// A numerical library that this process has loaded, with threads of its own.
pub struct Library {
    path: CString,
    family: &'static Family,
    text: Option<String>,
    threads: Threads,
    blas: Option<Blas>,
    pub(crate) holds: Mutex<Holds>,
}

/// How a library is asked for its threads, and told.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    get: unsafe extern "C" fn() -> i32,
    set: unsafe extern "C" fn(i32),
}

impl Threads {
    /// How many threads a call uses at most; nothing, or less, if the library has none.
    pub fn get(self) -> i32 {
        // SAFETY: the function was found under its name, which says what it takes and gives, in a library that stays loaded.
        unsafe { (self.get)() }
    }

    /// Calls that begin from here on use so many threads, which is more than none.
    pub fn set(self, threads: i32) {
        // SAFETY: as above.
        unsafe { (self.set)(threads.max(1)) };
    }
}

impl Library {
    /// The library at `path`, which is loaded, if it is of a family that is known.
    pub(crate) fn at(path: &CStr) -> Option<Self> {
        let file = path.to_str().ok()?.rsplit('/').next()?;
        let mut families = Family::of(file).peekable();
        families.peek()?;
        let handle = Handle::of_loaded(path)?;
        let functions = |family: &'static Family| {
            let mut pairs = family.threads.iter();
            let (set, get) = pairs.find_map(|(set, get)| Some((handle.find(set)?, handle.find(get)?)))?;
            Some((family, set, get))
        };
        let (family, set, get) = families.find_map(functions)?;
        // SAFETY: functions of these names take nothing and give an `int`.
        let get = unsafe { std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn() -> i32>(get) };
        // SAFETY: functions of these names take an `int` and give nothing.
        let set = unsafe { std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(i32)>(set) };
        let text = family.texts.iter().find_map(|name| handle.find(name)).and_then(text);
        let threads = Threads { get, set };
        let blas = Blas::find(family, &handle, text.as_deref());
        Some(Self { path: path.to_owned(), family, text, threads, blas, holds: Mutex::default() })
    }

    /// What users call it: `"OpenBLAS"`, say.
    pub fn name(&self) -> &'static str {
        self.family.name
    }

    /// The file that it is in.
    pub fn path(&self) -> &CStr {
        &self.path
    }

    /// What it says of itself: its version, and what it was built for.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// How it is asked for its threads.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Whether the number of threads counts for the thread that sets it, and not for the process.
    pub fn is_by_thread(&self) -> bool {
        self.family.is_by_thread
    }

    /// Its products of matrices, if it has them.
    pub fn blas(&self) -> Option<&Blas> {
        self.blas.as_ref()
    }
}

/// What a library says of itself.
fn text(function: NonNull<c_void>) -> Option<String> {
    // SAFETY: functions of these names take nothing and give a text that stays.
    let function = unsafe { std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn() -> *const c_char>(function) };
    // SAFETY: as above.
    let text = unsafe { function() };
    // SAFETY: it ends in zero.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned())
}

/// A library that is never unloaded from here on.
pub(crate) struct Handle(NonNull<c_void>);

impl Handle {
    /// One that is loaded already.
    fn of_loaded(path: &CStr) -> Option<Self> {
        // SAFETY: the path ends in zero; nothing is loaded, so that no code of the library runs.
        NonNull::new(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) }).map(Self)
    }

    /// The function of this name.
    pub fn find(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the handle is open, and the name ends in zero.
        NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })
    }
}
