//! The most memory that a process has had resident, read from /proc.

/// Lets the kernel count anew.
pub(super) fn forget(process: u32) {
    // What it has now is where it begins; a kernel that does not allow it goes on from before.
    drop(std::fs::write(format!("/proc/{process}/clear_refs"), "5"));
}

/// The most since then, in MiB; nothing of a process that has ended.
pub(super) fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_process_is_measured() {
        super::forget(std::process::id());
        assert!(super::resident(std::process::id()) > 0.5, "some MiB");
    }
}
