//! How fresh a sign-in must be, in the words of an authorization request (OpenID Connect Core,
//! 3.1.2.1): a client asks this server, and this server asks the provider.

use daybook_domain::instant::Instant;

/// What `prompt` may ask of whoever signs people in.
const PROMPTS: [&str; 2] = [LOGIN, "select_account"];
const LOGIN: &str = "login";

/// How fresh a sign-in must be. Without a wish any will do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Freshness {
    prompts: Vec<&'static str>,
    /// Seconds since somebody has signed in at most.
    max_age: Option<i64>,
}

impl Freshness {
    /// Reads the parameters `prompt` and `max_age`. Who asks for `login` lets no time pass.
    ///
    /// # Errors
    /// `None` when `max_age` is no number of seconds.
    pub(crate) fn read(prompt: Option<&str>, max_age: Option<&str>) -> Option<Self> {
        let told: Vec<&str> = prompt.unwrap_or_default().split(' ').collect();
        let prompts: Vec<_> = PROMPTS.into_iter().filter(|known| told.contains(known)).collect();
        let max_age = match max_age {
            Some(text) => Some(text.parse::<i64>().ok().filter(|seconds| *seconds >= 0)?),
            None => None,
        };
        let max_age = if prompts.contains(&LOGIN) { Some(0) } else { max_age };
        Some(Self { prompts, max_age })
    }

    /// The parameters that say the same.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&'static str, String)> {
        let prompt = (!self.prompts.is_empty()).then(|| ("prompt", self.prompts.join(" ")));
        prompt.into_iter().chain(self.max_age.map(|seconds| ("max_age", seconds.to_string())))
    }

    /// Whether somebody is asked who they are, however lately they have signed in.
    pub(crate) const fn asks_always(&self) -> bool {
        !self.prompts.is_empty()
    }

    /// When somebody must have signed in at the earliest; `None` when that does not matter.
    pub(crate) fn since(&self, now: Instant) -> Option<Instant> {
        let milliseconds = self.max_age?.saturating_mul(1_000);
        Some(Instant::new(now.milliseconds().saturating_sub(milliseconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_read_and_told_on() {
        for (prompt, max_age, told, since) in [
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
            let wish = Freshness::read(prompt, max_age).unwrap();
            let found: Vec<_> = wish.parameters().collect();
            let found: Vec<_> = found.iter().map(|(name, value)| (*name, &**value)).collect();
            assert_eq!(found, told, "{prompt:?} {max_age:?}");
            assert_eq!(wish.since(Instant::new(50_000)), since.map(Instant::new));
            let again = |name: &str| {
                found.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
            };
            assert_eq!(Freshness::read(again("prompt"), again("max_age")), Some(wish));
        }
        for wrong in ["", "soon", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(Freshness::read(None, Some(wrong)), None, "{wrong}");
        }
        let far = Freshness::read(None, Some(&i64::MAX.to_string())).unwrap();
        assert!(far.since(Instant::new(0)) < Some(Instant::new(0)));
    }
}
