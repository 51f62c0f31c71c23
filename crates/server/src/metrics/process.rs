//! The figures of the process, by the names that Prometheus' own clients use.

use std::fs;

use daybook_domain::instant::Instant;
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage};
use nix::sys::time::TimeValLike;

use super::text::{Micros, Millis, Text};

/// Bytes of the unit in `/proc/self/status`.
const UNIT: i64 = 1_024;

/// Adds the metrics of the process, which started at an instant.
pub(super) fn write(text: &mut Text, started: Instant) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bytes = |field: &str| field_of(&status, field).map(|number| number.saturating_mul(UNIT));
    text.gauge("process_resident_memory_bytes", "Resident memory.").add(&[], bytes("VmRSS"));
    text.gauge("process_virtual_memory_bytes", "Virtual memory.").add(&[], bytes("VmSize"));
    text.gauge("process_threads", "Threads.").add(&[], field_of(&status, "Threads"));
    if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
        let times = [usage.user_time(), usage.system_time()];
        let micros = times.map(|time| u64::try_from(time.num_microseconds()).unwrap_or_default());
        let sum = Micros(micros.into_iter().fold(0, u64::saturating_add));
        text.counter("process_cpu_seconds_total", "Time on processors.").show(&[], &sum);
    }
    let open = fs::read_dir("/proc/self/fd").ok().map(Iterator::count);
    let open = open.and_then(|count| i64::try_from(count).ok());
    text.gauge("process_open_fds", "Open file descriptors.").add(&[], open);
    let limit = getrlimit(Resource::RLIMIT_NOFILE).ok();
    let limit = limit.map(|(soft, _)| i64::try_from(soft).unwrap_or(i64::MAX));
    text.gauge("process_max_fds", "Limit of open file descriptors.").add(&[], limit);
    let start = Millis(started.milliseconds());
    text.gauge("process_start_time_seconds", "Start, since 1970.").show(&[], &start);
}

/// Returns the number of a field of `/proc/self/status`.
fn field_of(status: &str, field: &str) -> Option<i64> {
    let mut lines = status.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(name, _)| *name == field)?;
    value.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_process_are_read() {
        let status = "Name:\tdaybook\nVmSize:\t  262144 kB\nVmRSS:\t    4096 kB\nThreads:\t7\n";
        assert_eq!(field_of(status, "VmRSS"), Some(4_096));
        assert_eq!(field_of(status, "Threads"), Some(7));
        assert_eq!(field_of(status, "Rss"), None);
        assert_eq!(field_of(status, "Name"), None);
    }
}
