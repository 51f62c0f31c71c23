//! Signing in a program that has no browser (RFC 8628): it shows a code, and a person types the
//! code in a browser in which they are signed in, and decides.

use super::{GrantScope, Refusal, SECOND, UserCode, later};
use crate::id::GrantId;
use crate::instant::Instant;
use crate::session::SecretDigest;

/// Minutes for which the codes of a device are valid (behaviour 11.19).
const VALID_MINUTES: i64 = 30;
/// Seconds that a program waits between two questions at first (behaviour 11.19).
const FIRST_INTERVAL: i64 = 5;
/// Seconds that it must wait longer when it has not waited (RFC 8628, 3.5).
const SLOWER: i64 = 5;
/// Programs that wait for a decision at most, in the whole installation (behaviour 11.19).
const MAX_WAITING: i64 = 10_000;

/// A program that waits for somebody's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceAuthorization {
    /// The digest of the code that the program keeps.
    pub digest: SecretDigest,
    /// The code that a person types.
    pub user_code: UserCode,
    /// The client.
    pub client: String,
    /// What it asks for.
    pub scope: GrantScope,
    /// When it asked.
    pub created_at: Instant,
    /// When it asked last whether somebody has decided.
    pub polled_at: Option<Instant>,
    /// Seconds to wait between two questions.
    pub interval: i64,
    /// What was decided.
    pub decision: Option<Decision>,
}

/// What somebody has decided about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It gets tokens of this grant.
    Granted(GrantId),
    /// It gets nothing.
    Denied,
}

/// The answer to a program that asks whether somebody has decided.
#[derive(Debug, PartialEq, Eq)]
pub enum Poll {
    /// It gets tokens of this grant, and the code is used up.
    Granted(GrantId),
    /// It gets nothing, and the code is used up.
    Over(Refusal),
    /// It asks again later; what is to be kept.
    Wait(DeviceAuthorization, Refusal),
}

impl DeviceAuthorization {
    /// Seconds for which the codes are valid.
    pub const VALID_SECONDS: i64 = VALID_MINUTES * 60;
    /// Seconds that a program waits between two questions at first.
    pub const INTERVAL: i64 = FIRST_INTERVAL;

    /// A program that begins to wait.
    #[must_use]
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

    /// Refuses one more program when this many wait.
    ///
    /// # Errors
    /// [`Refusal::Crowded`].
    pub const fn check_room(waiting: i64) -> Result<(), Refusal> {
        if waiting < MAX_WAITING { Ok(()) } else { Err(Refusal::Crowded) }
    }

    /// Programs that began to wait before this wait no longer.
    #[must_use]
    pub const fn waiting_since(now: Instant) -> Instant {
        later(now, -Self::VALID_SECONDS * SECOND)
    }

    /// Programs that began to wait before this are forgotten. Until then they are told that their
    /// code has expired.
    #[must_use]
    pub const fn kept_since(now: Instant) -> Instant {
        later(now, -2 * Self::VALID_SECONDS * SECOND)
    }

    /// When its codes end.
    #[must_use]
    pub const fn expires_at(&self) -> Instant {
        later(self.created_at, Self::VALID_SECONDS * SECOND)
    }

    fn has_expired(&self, now: Instant) -> bool {
        self.expires_at() <= now
    }

    /// Refuses a code about which nothing is to be decided.
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

    /// The same device, decided upon.
    ///
    /// # Errors
    /// [`Refusal::UnknownUserCode`] when there is nothing to decide.
    pub fn decide(self, decision: Decision, now: Instant) -> Result<Self, Refusal> {
        self.check_undecided(now)?;
        Ok(Self { decision: Some(decision), ..self })
    }

    /// The answer to the question whether somebody has decided.
    #[must_use]
    pub fn poll(self, now: Instant) -> Poll {
        if self.has_expired(now) {
            return Poll::Over(Refusal::ExpiredToken);
        }
        match self.decision {
            Some(Decision::Granted(grant)) => Poll::Granted(grant),
            Some(Decision::Denied) => Poll::Over(Refusal::AccessDenied),
            None => self.wait(now),
        }
    }

    fn wait(self, now: Instant) -> Poll {
        // Of a clock that goes back it is not the program that is to blame.
        let early = self
            .polled_at
            .is_some_and(|last| last <= now && now < later(last, self.interval * SECOND));
        let slower = if early { SLOWER } else { 0 };
        let interval = self.interval.saturating_add(slower).min(Self::VALID_SECONDS);
        let why = if early { Refusal::SlowDown } else { Refusal::AuthorizationPending };
        Poll::Wait(Self { polled_at: Some(now), interval, ..self }, why)
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
    fn a_program_waits_for_a_decision() {
        let mut device = device();
        // When it asks, what it is told, and how long it must wait then.
        for (at, expected, interval) in [
            (0, Refusal::AuthorizationPending, 5),
            (5_000, Refusal::AuthorizationPending, 5),
            (9_999, Refusal::SlowDown, 10),
            (19_998, Refusal::SlowDown, 15),
            (34_998, Refusal::AuthorizationPending, 15),
            (20_000, Refusal::AuthorizationPending, 15),
        ] {
            let Poll::Wait(kept, told) = device.poll(Instant::new(at)) else { panic!("{at}") };
            assert_eq!((told, kept.interval), (expected, interval), "{at}");
            device = kept;
        }
        let grant = GrantId::new(7);
        let now = Instant::new(34_999);
        let granted = device.clone().decide(Decision::Granted(grant), now).unwrap();
        assert_eq!(granted.clone().poll(now), Poll::Granted(grant));
        assert_eq!(granted.decide(Decision::Denied, now), Err(Refusal::UnknownUserCode));
        let denied = device.decide(Decision::Denied, now).unwrap();
        assert_eq!(denied.poll(now), Poll::Over(Refusal::AccessDenied));
    }

    #[test]
    fn codes_last_thirty_minutes() {
        let end = Instant::new(1_800_000);
        let last = Instant::new(1_799_999);
        assert!(device().check_undecided(last).is_ok());
        assert_eq!(device().check_undecided(end), Err(Refusal::UnknownUserCode));
        assert_eq!(device().poll(end), Poll::Over(Refusal::ExpiredToken));
        let granted = device().decide(Decision::Granted(GrantId::new(7)), last).unwrap();
        assert_eq!(granted.poll(end), Poll::Over(Refusal::ExpiredToken));
    }

    #[test]
    fn a_bounded_number_waits() {
        assert!(DeviceAuthorization::check_room(9_999).is_ok());
        assert_eq!(DeviceAuthorization::check_room(10_000), Err(Refusal::Crowded));
    }
}
