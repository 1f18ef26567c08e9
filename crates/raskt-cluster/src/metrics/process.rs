//! What every process measures of itself.

use super::Text;

/// Memory, threads and descriptors, as far as the system tells.
pub(crate) fn of_process(text: &mut Text) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    };
    if let Some(kib) = field("VmRSS:") {
        text.gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.", kib * 1024);
    }
    if let Some(threads) = field("Threads:") {
        text.gauge("process_threads", "Threads of the process.", threads);
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        text.gauge("process_open_fds", "Descriptors that are open.", open.count());
    }
}
