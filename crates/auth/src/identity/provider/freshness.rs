//! The required freshness of a sign-in: `prompt` and `max_age` (OpenID Connect Core, 3.1.2.1).
//!
//! Clients send them to this server, and this server sends them to the provider.

use daybook_domain::instant::Instant;

/// The values of `prompt` that concern the sign-in.
const PROMPTS: [&str; 2] = [LOGIN, "select_account"];
const LOGIN: &str = "login";

/// The required freshness of a sign-in. The default accepts any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Freshness {
    prompts: Vec<&'static str>,
    /// The maximum age of the sign-in in seconds.
    max_age: Option<i64>,
}

impl Freshness {
    /// Parses the parameters `prompt` and `max_age`. `prompt=login` implies `max_age=0`.
    ///
    /// # Errors
    /// `None` if `max_age` is not a number of seconds.
    pub(crate) fn read(prompt: Option<&str>, max_age: Option<&str>) -> Option<Self> {
        let given: Vec<&str> = prompt.unwrap_or_default().split(' ').collect();
        let prompts: Vec<_> = PROMPTS.into_iter().filter(|known| given.contains(known)).collect();
        let max_age = match max_age {
            Some(text) => Some(text.parse::<i64>().ok().filter(|seconds| *seconds >= 0)?),
            None => None,
        };
        let max_age = if prompts.contains(&LOGIN) { Some(0) } else { max_age };
        Some(Self { prompts, max_age })
    }

    /// Returns the parameters for the provider.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&'static str, String)> {
        let prompt = (!self.prompts.is_empty()).then(|| ("prompt", self.prompts.join(" ")));
        prompt.into_iter().chain(self.max_age.map(|seconds| ("max_age", seconds.to_string())))
    }

    /// Whether the user must sign in again regardless of the last sign-in.
    pub(crate) const fn forces_sign_in(&self) -> bool {
        !self.prompts.is_empty()
    }

    /// Returns the earliest acceptable time of the sign-in; `None` if any is accepted.
    pub(crate) fn earliest_sign_in(&self, now: Instant) -> Option<Instant> {
        let milliseconds = self.max_age?.saturating_mul(1_000);
        Some(Instant::new(now.milliseconds().saturating_sub(milliseconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_is_parsed_and_passed_on() {
        for (prompt, max_age, expected, earliest) in [
            (None, None, &[][..], None),
            (Some("consent"), None, &[], None),
            (Some("login"), None, &[("prompt", "login"), ("max_age", "0")], Some(50_000)),
            (
                Some("consent login"),
                Some("30"),
                &[("prompt", "login"), ("max_age", "0")],
                Some(50_000),
            ),
            (Some("select_account"), None, &[("prompt", "select_account")], None),
            (None, Some("30"), &[("max_age", "30")], Some(20_000)),
            (
                Some("select_account login"),
                Some("0"),
                &[("prompt", "login select_account"), ("max_age", "0")],
                Some(50_000),
            ),
        ] {
            let freshness = Freshness::read(prompt, max_age).unwrap();
            let found: Vec<_> = freshness.parameters().collect();
            let found: Vec<_> = found.iter().map(|(name, value)| (*name, &**value)).collect();
            assert_eq!(found, expected, "{prompt:?} {max_age:?}");
            let now = Instant::new(50_000);
            assert_eq!(freshness.earliest_sign_in(now), earliest.map(Instant::new));
            let parameter = |name: &str| {
                found.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
            };
            let parsed_again = Freshness::read(parameter("prompt"), parameter("max_age"));
            assert_eq!(parsed_again, Some(freshness));
        }
        for wrong in ["", "soon", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(Freshness::read(None, Some(wrong)), None, "{wrong}");
        }
        let far = Freshness::read(None, Some(&i64::MAX.to_string())).unwrap();
        assert!(far.earliest_sign_in(Instant::new(0)) < Some(Instant::new(0)));
    }
}
