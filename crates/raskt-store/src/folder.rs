//! The private folder of one process, and what is left of processes that died.

use std::collections::hash_map::RandomState;
use std::ffi::{CString, OsStr};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A folder that only its owner may look into, with names that say nothing. It goes when this is dropped.
///
/// A file in it is locked for as long as its process lives, by whatever way that ends: folders whose lock is free are
/// [`sweep`]t by the next process that makes one beside them.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Open and locked.
    _lock: File,
    /// Who made it: a fork must not remove what is its parent's.
    process: u32,
}

/// What the names of all such folders begin with.
const PREFIX: &str = "raskt-spill-";
const LOCK: &str = "owner";

/// How often a name is drawn: a clash of 64 random bits is no accident, so that more tries won't help.
const TRIES: usize = 8;

impl Folder {
    /// Makes a new one within `place`.
    pub fn create(place: &Path) -> io::Result<Self> {
        fs::create_dir_all(place)?;
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..TRIES {
            match Self::named(place.join(format!("{PREFIX}{:016x}", random()))) {
                Ok(folder) => return Ok(folder),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn named(path: PathBuf) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(&path)?;
        let mut lock = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path.join(LOCK))?;
        // Another process that sweeps may have been faster; then it removes the folder, and a new one is made.
        lock.try_lock().map_err(|_| io::Error::from(io::ErrorKind::AlreadyExists))?;
        writeln!(lock, "{}", std::process::id())?;
        Ok(Self { path, _lock: lock, process: std::process::id() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nobody has removed it.
    pub fn is_there(&self) -> bool {
        self.path.is_dir()
    }

    /// A new file, open for writing.
    pub fn create_file(&self) -> io::Result<(PathBuf, File)> {
        let path = self.path.join(format!("{:016x}", random()));
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).to_owned();
        Ok((path.clone(), options.open(path)?))
    }

    /// A file of it, open for reading. What somebody has put in its place isn't waited for, as a pipe's other end would be.
    pub fn open_file(&self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it isn't a file any more"));
        }
        Ok(file)
    }

    /// Removes a file of it. One that is gone already is as good.
    pub fn remove_file(&self, path: &Path) {
        if self.process == std::process::id() {
            let _ = fs::remove_file(path);
        }
    }
}

impl Folder {
    /// Removes it with all that is in it.
    pub fn remove(&self) {
        if self.process == std::process::id() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Where such folders are made unless somebody says so: with other temporary files, unless those lie in memory themselves.
pub(crate) fn usual_place() -> PathBuf {
    let temporary = std::env::temp_dir();
    let lasting = Path::new("/var/tmp");
    if is_in_memory(&temporary) && lasting.is_dir() && !is_in_memory(lasting) { lasting.into() } else { temporary }
}

fn is_in_memory(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { return false };
    // SAFETY: all zeros are a value of this plain struct, the path ends in zero, and the result is read only if the call
    // succeeded.
    unsafe {
        let mut found: libc::statfs = std::mem::zeroed();
        libc::statfs(path.as_ptr(), &mut found) == 0 && found.f_type == libc::TMPFS_MAGIC
    }
}

/// Removes what dead processes have spilled to `place`, or to where it goes unless somebody says so. For whoever has seen one die: nobody
/// else may come to spill there.
pub fn sweep_spilled(place: Option<&Path>) {
    sweep(&place.map_or_else(usual_place, Path::to_path_buf));
}

/// Removes the folders in `place` whose owners are dead. What can't be looked at or removed is left. It may take long: they may have
/// left as much as a disk holds.
pub(crate) fn sweep(place: &Path) {
    #[cfg(test)]
    while tests::is_stopped(place) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let Ok(entries) = fs::read_dir(place) else { return };
    let is_ours = |name: &OsStr| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    entries.flatten().filter(|entry| is_ours(&entry.file_name())).for_each(|entry| sweep_one(&entry.path()));
}

fn sweep_one(path: &Path) {
    // SAFETY: it asks for the user that this process runs as, and touches nothing.
    let user = unsafe { libc::geteuid() };
    let Ok(found) = fs::symlink_metadata(path) else { return };
    if !found.is_dir() || found.uid() != user {
        return;
    }
    let lock = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(path.join(LOCK));
    match lock.as_ref().map(File::try_lock) {
        Ok(Ok(())) => _ = fs::remove_dir_all(path),
        // Its owner lives.
        Ok(Err(TryLockError::WouldBlock)) => {}
        // Without a lock: its owner is about to make one, or died before it could.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_old =
                found.modified().ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age.as_secs() > 60);
            if is_old {
                let _ = fs::remove_dir_all(path);
            }
        }
        // It can't be told whether its owner lives.
        _ => {}
    }
}

/// 64 random bits: the standard library's hasher has random keys, and others with every call.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use raskt_sync::Mutex;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Instant;

    /// Places that nobody comes to sweep before that time.
    pub(crate) static STOPPED: Mutex<Vec<(PathBuf, Instant)>> = Mutex::new(vec![]);

    pub fn is_stopped(place: &Path) -> bool {
        STOPPED.lock().iter().any(|(stopped, until)| stopped == place && *until > Instant::now())
    }

    fn names(place: &Path) -> Vec<PathBuf> {
        fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn it_is_private_and_goes_when_it_is_dropped() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(place.path()).unwrap();
        let (path, _) = folder.create_file().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder.path()), mode(&path)), (0o700, 0o600));
        drop(folder);
        assert_eq!(names(place.path()), [] as [PathBuf; 0]);
    }

    #[test]
    fn what_a_dead_process_left_is_swept_and_what_a_live_one_has_stays() {
        let place = tempfile::tempdir().unwrap();
        let alive = Folder::create(place.path()).unwrap();
        let dead = place.path().join(format!("{PREFIX}0123"));
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(LOCK), "1").unwrap();
        fs::write(dead.join("abc"), "left").unwrap();
        fs::write(place.path().join("raskt-spill-file"), "not a folder").unwrap();
        fs::create_dir(place.path().join("else")).unwrap();
        let next = Folder::create(place.path()).unwrap();
        sweep(place.path());
        assert!(!dead.exists());
        assert!(alive.path().exists() && next.path().exists());
        assert_eq!(names(place.path()).len(), 4);
    }

    #[test]
    fn a_folder_whose_lock_is_about_to_be_made_stays() {
        let place = tempfile::tempdir().unwrap();
        let young = place.path().join(format!("{PREFIX}4567"));
        fs::create_dir(&young).unwrap();
        let _folder = Folder::create(place.path()).unwrap();
        sweep(place.path());
        assert!(young.exists());
    }

    #[test]
    fn an_old_folder_goes_without_a_lock_and_stays_if_its_lock_cannot_be_asked() {
        let place = tempfile::tempdir().unwrap();
        let [without, unasked] = ["89ab", "cdef"].map(|name| place.path().join(format!("{PREFIX}{name}")));
        fs::create_dir(&without).unwrap();
        // What can't be opened to be locked.
        fs::create_dir_all(unasked.join(LOCK)).unwrap();
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        for path in [&without, &unasked] {
            File::open(path).unwrap().set_modified(long_ago).unwrap();
        }
        sweep(place.path());
        assert!(!without.exists());
        assert!(unasked.exists());
    }
}
