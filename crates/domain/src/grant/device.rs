//! Device authorization (RFC 8628), for programs without a browser.
//!
//! The program shows a user code. The user enters it in a browser and allows or denies access,
//! while the program polls for the decision.

use super::{GrantScope, Refusal, UserCode};
use crate::id::GrantId;
use crate::instant::{Instant, SECOND};
use crate::session::SecretDigest;

/// Lifetime of the codes in minutes (behaviour 11.19).
const VALID_MINUTES: i64 = 30;
/// Initial polling interval in seconds (behaviour 11.19).
const FIRST_INTERVAL: i64 = 5;
/// Increase of the interval in seconds after a poll that came too early (RFC 8628, 3.5).
const INTERVAL_INCREASE: i64 = 5;
/// Limit of pending device authorizations in the installation (behaviour 11.19).
const MAX_PENDING: i64 = 10_000;

/// A device authorization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceAuthorization {
    /// The digest of the device code.
    pub digest: SecretDigest,
    /// The code that the user types.
    pub user_code: UserCode,
    /// The client id.
    pub client: String,
    /// The requested scope.
    pub scope: GrantScope,
    /// The time of the request.
    pub created_at: Instant,
    /// The time of the last poll.
    pub polled_at: Option<Instant>,
    /// The polling interval in seconds.
    pub interval: i64,
    /// The decision of the user.
    pub decision: Option<Decision>,
}

/// The decision of a user about a device authorization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Access is allowed with this grant.
    Granted(GrantId),
    /// Access is denied.
    Denied,
}

/// The result of a poll.
#[derive(Debug, PartialEq, Eq)]
pub enum Poll {
    /// Issue tokens of this grant and remove the authorization.
    Granted(GrantId),
    /// Send the refusal and remove the authorization.
    Ended(Refusal),
    /// Send the refusal and save the authorization.
    Pending(DeviceAuthorization, Refusal),
}

impl DeviceAuthorization {
    /// Lifetime of the codes in seconds.
    pub const VALID_SECONDS: i64 = VALID_MINUTES * 60;
    /// Initial polling interval in seconds.
    pub const INTERVAL: i64 = FIRST_INTERVAL;

    /// Creates a pending authorization.
    pub const fn new(
        digest: SecretDigest,
        user_code: UserCode,
        client: String,
        scope: GrantScope,
        now: Instant,
    ) -> Self {
        Self {
            digest,
            user_code,
            client,
            scope,
            created_at: now,
            polled_at: None,
            interval: FIRST_INTERVAL,
            decision: None,
        }
    }

    /// Checks that another authorization may start when this many are pending.
    ///
    /// # Errors
    /// [`Refusal::TooManyDevices`].
    pub const fn check_count(pending: i64) -> Result<(), Refusal> {
        if pending < MAX_PENDING { Ok(()) } else { Err(Refusal::TooManyDevices) }
    }

    /// Returns the instant since which an authorization must have started to be pending.
    pub const fn pending_cutoff(now: Instant) -> Instant {
        now.plus(-Self::VALID_SECONDS * SECOND)
    }

    /// Returns the instant before which authorizations are removed.
    ///
    /// Until then a poll is refused with `expired_token`.
    pub const fn retention_cutoff(now: Instant) -> Instant {
        now.plus(-2 * Self::VALID_SECONDS * SECOND)
    }

    /// Returns the expiry of its codes.
    pub const fn expires_at(&self) -> Instant {
        self.created_at.plus(Self::VALID_SECONDS * SECOND)
    }

    fn has_expired(&self, now: Instant) -> bool {
        self.expires_at() <= now
    }

    /// Checks that the user can still decide.
    ///
    /// # Errors
    /// [`Refusal::UnknownUserCode`].
    pub fn check_undecided(&self, now: Instant) -> Result<(), Refusal> {
        if self.decision.is_none() && !self.has_expired(now) {
            Ok(())
        } else {
            Err(Refusal::UnknownUserCode)
        }
    }

    /// Records the decision of the user.
    ///
    /// # Errors
    /// [`Refusal::UnknownUserCode`] when it has expired or was decided before.
    pub fn decide(self, decision: Decision, now: Instant) -> Result<Self, Refusal> {
        self.check_undecided(now)?;
        Ok(Self { decision: Some(decision), ..self })
    }

    /// Handles a poll of the program.
    pub fn poll(self, now: Instant) -> Poll {
        if self.has_expired(now) {
            return Poll::Ended(Refusal::ExpiredToken);
        }
        match self.decision {
            Some(Decision::Granted(grant)) => Poll::Granted(grant),
            Some(Decision::Denied) => Poll::Ended(Refusal::AccessDenied),
            None => self.poll_pending(now),
        }
    }

    fn poll_pending(self, now: Instant) -> Poll {
        // A clock that went back does not count as polling too frequently.
        let is_early = self
            .polled_at
            .is_some_and(|last| last <= now && now < last.plus(self.interval * SECOND));
        let (interval, refusal) = if is_early {
            (self.interval.saturating_add(INTERVAL_INCREASE), Refusal::SlowDown)
        } else {
            (self.interval, Refusal::AuthorizationPending)
        };
        let interval = interval.min(Self::VALID_SECONDS);
        Poll::Pending(Self { polled_at: Some(now), interval, ..self }, refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> DeviceAuthorization {
        let scope = GrantScope::read(None, None).unwrap();
        let code = UserCode::read("BCDFGHJK").unwrap();
        DeviceAuthorization::new([0; 32], code, "cli".to_owned(), scope, Instant::new(0))
    }

    #[test]
    fn early_polls_increase_the_interval() {
        let mut device = device();
        // The time of the poll, the refusal and the interval after it.
        for (at, expected, interval) in [
            (0, Refusal::AuthorizationPending, 5),
            (5_000, Refusal::AuthorizationPending, 5),
            (9_999, Refusal::SlowDown, 10),
            (19_998, Refusal::SlowDown, 15),
            (34_998, Refusal::AuthorizationPending, 15),
            (20_000, Refusal::AuthorizationPending, 15),
        ] {
            let Poll::Pending(pending, refusal) = device.poll(Instant::new(at)) else {
                panic!("{at}")
            };
            assert_eq!((refusal, pending.interval), (expected, interval), "{at}");
            device = pending;
        }
        let grant = GrantId::new(7);
        let now = Instant::new(34_999);
        let granted = device.clone().decide(Decision::Granted(grant), now).unwrap();
        assert_eq!(granted.clone().poll(now), Poll::Granted(grant));
        assert_eq!(granted.decide(Decision::Denied, now), Err(Refusal::UnknownUserCode));
        let denied = device.decide(Decision::Denied, now).unwrap();
        assert_eq!(denied.poll(now), Poll::Ended(Refusal::AccessDenied));
    }

    #[test]
    fn codes_last_thirty_minutes() {
        let end = Instant::new(1_800_000);
        let last = Instant::new(1_799_999);
        assert!(device().check_undecided(last).is_ok());
        assert_eq!(device().check_undecided(end), Err(Refusal::UnknownUserCode));
        assert_eq!(device().poll(end), Poll::Ended(Refusal::ExpiredToken));
        let granted = device().decide(Decision::Granted(GrantId::new(7)), last).unwrap();
        assert_eq!(granted.poll(end), Poll::Ended(Refusal::ExpiredToken));
    }

    #[test]
    fn number_of_pending_authorizations_is_limited() {
        assert!(DeviceAuthorization::check_count(9_999).is_ok());
        assert_eq!(DeviceAuthorization::check_count(10_000), Err(Refusal::TooManyDevices));
    }
}
