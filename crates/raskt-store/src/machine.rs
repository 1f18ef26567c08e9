//! What this machine has for the process, and how much of it the process uses.

use raskt_sync::Mutex;
use std::fs;
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

/// For how long the number of processors is remembered: to find out takes as long as a small computation.
const PROCESSORS_AGE: Duration = Duration::from_secs(1);

/// Processors that this process may use: those that it is bound to, or as many as its control group pays for if they are fewer.
pub fn processors() -> usize {
    static FOUND: Mutex<Option<(Instant, usize)>> = Mutex::new(None);
    let look = || std::thread::available_parallelism().map_or(1, usize::from);
    // The child of a fork may find it locked by a thread that it doesn't have.
    let Some(mut found) = FOUND.try_lock() else { return look() };
    match *found {
        Some((at, processors)) if at.elapsed() < PROCESSORS_AGE => processors,
        _ => found.insert((Instant::now(), look())).1,
    }
}

/// Bytes of memory that this process may use: the machine's, or those of its control group if they are fewer.
pub fn machine_memory() -> Option<u64> {
    [physical(), control_group()].into_iter().flatten().min()
}

/// Bytes of memory that this process has now.
pub fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * page_bytes()?)
}

/// Bytes of memory that this process has to itself now: without files that it has mapped, which the system takes back when it
/// likes, and without what it shares with others.
pub fn own_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().skip(1).map_while(|pages| pages.parse::<u64>().ok());
    let (resident, shared) = (pages.next()?, pages.next()?);
    Some(resident.saturating_sub(shared) * page_bytes()?)
}

/// Bytes that a process takes from others; nothing if it has ended, or the system doesn't say. Of memory that several have mapped it is its
/// part, where it takes more than `bound`: what each has of it takes the system longer to say. Of files that it has mapped, its libraries
/// among them, nothing counts: the system takes that back when it likes, and no result leaves memory for it.
pub fn taken_bytes(process: u32, bound: u64) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let (own, shared) = (kilobytes(&text, "RssAnon:"), kilobytes(&text, "RssShmem:"));
    let Some((own, shared)) = own.zip(shared) else {
        // The system doesn't tell them apart.
        return kilobytes(&text, "VmRSS:");
    };
    let all = own.saturating_add(shared);
    let counts = all > bound && shared > all / SHARED_PARTS;
    let part = counts.then(|| shared_part(process)).flatten();
    Some(part.map_or(all, |part| own.saturating_add(part.min(shared))))
}

/// What of a process is shared counts whole if it is less than so small a part: to find out what each has of it its pages are walked.
const SHARED_PARTS: u64 = 16;

/// The part of a process of memory that it shares with others, without files.
fn shared_part(process: u32) -> Option<u64> {
    kilobytes(&fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?, "Pss_Shmem:")
}

/// Bytes, of a line with this name.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Has the allocator of this program give back what it keeps.
static OWN_ALLOCATOR: OnceLock<fn()> = OnceLock::new();

/// Makes known what has the allocator of this program, if that isn't the C library's, give back to the system all that it keeps of memory
/// that was freed. It may be called at any time, from any thread, and takes as long as the system takes to take that back.
pub fn freed_is_given_back_by(gives_back: fn()) {
    let _ = OWN_ALLOCATOR.set(gives_back);
}

/// Gives back to the system what the allocator of this program keeps of memory that was freed: some may think of it for long, and others
/// have to do without meanwhile.
pub(crate) fn give_back_own_freed() {
    if let Some(gives_back) = OWN_ALLOCATOR.get() {
        gives_back();
    }
}

/// The same, and has the C library give back what it keeps: arrays of NumPy and pandas lie there, and it would keep hundreds of megabytes
/// of them.
pub fn give_back_freed() {
    give_back_own_freed();
    // SAFETY: it may be called at any time, from any thread.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Bytes that each part of the heap may keep of what is freed at its end, in a process that is ended if it has too much.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_FREED: libc::c_int = 1 << 20;

/// From now on the C library keeps little of what is freed: each thread has a part of the heap, and the ends of these are what
/// [`give_back_freed`] leaves alone (up to twice the largest block that was ever freed, in each). Blocks that come and go take longer then.
pub fn keep_little_freed() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // SAFETY: it may be called at any time, from any thread.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        unsafe {
            libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_FREED);
        }
    });
}

fn physical() -> Option<u64> {
    // SAFETY: asks for a number and touches nothing.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    Some(u64::try_from(pages).ok()? * page_bytes()?)
}

fn page_bytes() -> Option<u64> {
    // SAFETY: as above.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGE_SIZE) }).ok()
}

/// The least limit of the groups that this process is in, of either version.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups
        .lines()
        .filter_map(limit_files)
        .flatten()
        .filter_map(|path| fs::read_to_string(path).ok())
        .filter_map(|text| limit_of(&text))
        .min()
}

/// The files that may hold the limit of the group in this line of `/proc/self/cgroup`: its own, those of the groups that it
/// is in, and that at the root, which is where a container sees its group.
fn limit_files(line: &str) -> Option<Vec<String>> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        _ if controllers.split(',').any(|name| name == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        _ => return None,
    };
    let mut files = vec![];
    let mut path = path.trim_end_matches('/');
    loop {
        files.push(format!("{root}{path}/{file}"));
        match path.rfind('/') {
            Some(end) => path = &path[..end],
            None => return Some(files),
        }
    }
}

/// The bytes that such a file states; version 2 says `max` where there is no limit, version 1 a number beyond any machine.
fn limit_of(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|&bytes| bytes < 1 << 62)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_control_groups_are_read() {
        let files = |line: &str| limit_files(line).unwrap_or_default();
        assert_eq!(
            files("0::/user.slice/a"),
            [
                "/sys/fs/cgroup/user.slice/a/memory.max",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            files("9:cpu,memory:/docker/x")[..1],
            ["/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes".to_string()]
        );
        assert_eq!(files("0::/"), ["/sys/fs/cgroup/memory.max"]);
        assert!(files("3:cpuset:/a").is_empty() && files("nonsense").is_empty());
        assert_eq!((limit_of("max\n"), limit_of("1073741824\n")), (None, Some(1 << 30)));
        assert_eq!(limit_of("9223372036854771712\n"), None);
    }

    #[test]
    fn files_are_not_taken_from_others() {
        // This program is one of the files. Other tests may free something just then.
        let look = || (taken_bytes(std::process::id(), u64::MAX).unwrap(), resident_bytes().unwrap());
        let is_less = |(taken, resident): (u64, u64)| taken > 100_000 && taken + (1 << 20) < resident;
        assert!((0..5).any(|_| is_less(look())), "{:?}", look());
        assert_eq!(taken_bytes(u32::MAX, 0), None);
    }

    /// Memory that is there twice, as that of two processes is, or here of one.
    #[cfg(target_os = "linux")]
    #[test]
    fn of_shared_memory_a_part_is_taken() {
        const BYTES: usize = 32 << 20;
        // SAFETY: the name ends with a zero; the maps are of the file's length, and end with the test.
        let maps = unsafe {
            let file = libc::memfd_create(c"raskt-test".as_ptr(), 0);
            assert!(file >= 0 && libc::ftruncate(file, BYTES as libc::off_t) == 0);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let map = || libc::mmap(std::ptr::null_mut(), BYTES, access, libc::MAP_SHARED, file, 0);
            let maps = [map(), map()];
            assert!(maps.iter().all(|map| *map != libc::MAP_FAILED) && libc::close(file) == 0);
            maps.iter().for_each(|map| _ = libc::memset(*map, 1, BYTES));
            maps
        };
        let look = |bound| taken_bytes(std::process::id(), bound).unwrap();
        // Other tests may take something just then.
        let is_part = |(rough, part): (u64, u64)| (rough.saturating_sub(part)).abs_diff(BYTES as u64) < 8 << 20;
        assert!((0..5).any(|_| is_part((look(u64::MAX), look(0)))), "{} {}", look(u64::MAX), look(0));
        // SAFETY: nothing refers to them.
        maps.iter().for_each(|map| assert_eq!(unsafe { libc::munmap(*map, BYTES) }, 0));
    }

    #[test]
    fn a_process_has_some_memory_and_less_than_there_is() {
        let (own, all) = (resident_bytes().unwrap(), machine_memory().unwrap());
        assert!(own > 0 && own < all);
    }
}
