//! Rate limits of the issuer by client address (behaviour 11.19).

use std::num::NonZeroU32;

use crate::rate::attempts::AttemptLimit;

/// Wrong user codes per minute.
const WRONG_USER_CODES: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// New device codes per minute. One address can never fill the table of pending devices.
const DEVICE_CODES: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// Polls for device codes per minute: fifty programs that poll at the required interval.
const POLLS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

/// The rate limits of the issuer in this process.
pub struct GrantLimits {
    /// Wrong user codes.
    pub(super) user_codes: AttemptLimit,
    pub(super) device_codes: AttemptLimit,
    /// Polls for device codes.
    pub(super) polls: AttemptLimit,
}

impl Default for GrantLimits {
    fn default() -> Self {
        Self {
            user_codes: AttemptLimit::per_minute(WRONG_USER_CODES),
            device_codes: AttemptLimit::per_minute(DEVICE_CODES),
            polls: AttemptLimit::per_minute(POLLS),
        }
    }
}
