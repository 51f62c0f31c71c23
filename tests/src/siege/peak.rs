//! The peak resident memory of a process, from /proc.

/// Resets the peak.
pub(super) fn forget(process: u32) {
    // A kernel that does not allow this keeps the previous peak.
    drop(std::fs::write(format!("/proc/{process}/clear_refs"), "5"));
}

/// The peak in MiB since the reset; NaN for a process that has ended.
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
