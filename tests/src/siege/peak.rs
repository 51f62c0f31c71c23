//! The reset of the peak resident memory of a process, in /proc.

/// Resets the peak.
pub(super) fn forget(process: u32) {
    // A kernel that does not allow this keeps the previous peak.
    drop(std::fs::write(format!("/proc/{process}/clear_refs"), "5"));
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_process_is_measured() {
        super::forget(std::process::id());
        assert!(crate::peak_memory(std::process::id()) > 0.5, "some MiB");
    }
}
