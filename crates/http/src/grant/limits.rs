//! How often one client's address may try what could be guessed, or takes the place of others
//! (behaviour 11.19).

use std::num::NonZeroU32;

use crate::rate::attempts::AttemptLimit;

/// Codes of devices that somebody mistypes in a minute.
const WRONG_USER_CODES: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// Codes that programs ask for in a minute: so those of one address never take up all places.
const DEVICE_CODES: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// Questions of programs whether somebody has decided, in a minute: those of fifty programs that
/// wait as they should.
const POLLS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

/// The limits of one process.
pub struct GrantLimits {
    /// Codes of devices that are wrong.
    pub(super) user_codes: AttemptLimit,
    /// Codes that programs ask for.
    pub(super) device_codes: AttemptLimit,
    /// Questions of programs whether somebody has decided.
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
