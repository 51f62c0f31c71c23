//! Receivers of events and their webhook addresses (behaviour 8.11).

use glob::{MatchOptions, Pattern};

use crate::app::{App, AppId, AppRole, AppText, Visitor};
use crate::event::EventType;

/// The part of an installed app that decides which events it receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// The app.
    pub app: AppId,
    /// The types of events it receives.
    pub events: Vec<EventType>,
    /// Glob patterns of the file names it handles. An empty list means all files.
    pub file_patterns: Vec<String>,
    /// Whether it receives the events it caused itself.
    pub own_events: bool,
}

impl Receiver {
    /// Returns whether the app receives an event of `kind` about `subject`, caused by `agent`.
    ///
    /// Events about its own integration are not delivered to it.
    pub fn receives(&self, kind: EventType, subject: Option<&str>, agent: Option<&str>) -> bool {
        if !self.own_events && agent == Some(self.app.as_str()) {
            return false;
        }
        let concerns = if kind == EventType::FileCreated {
            self.handles_file(subject.unwrap_or_default())
        } else {
            !kind.is_about_integration() || subject != Some(self.app.as_str())
        };
        concerns && self.events.contains(&kind)
    }

    /// Returns whether a file pattern matches the name, ignoring case.
    ///
    /// An invalid pattern matches only the identical name.
    fn handles_file(&self, name: &str) -> bool {
        let options = MatchOptions { case_sensitive: false, ..MatchOptions::default() };
        let matches = |text: &String| {
            let pattern = Pattern::new(text);
            pattern.map_or(text == name, |pattern| pattern.matches_with(name, options))
        };
        self.file_patterns.is_empty() || self.file_patterns.iter().any(matches)
    }
}

/// Returns the webhook address of an app for an event, if it has one.
///
/// `users` are the acting and the installing user. When one of them is a developer of the app, its
/// development address has precedence (behaviour 8.11).
pub fn webhook_url<'a>(app: &'a App, users: &[Visitor<'_>]) -> Option<&'a str> {
    let is_developer = |visitor: &Visitor<'_>| {
        // An administrator is not a developer of the app.
        let visitor = Visitor { is_administrator: false, ..*visitor };
        app.role(&visitor) == AppRole::Developer
    };
    let development = app.manifest.text(AppText::WebhookUrlDev);
    if development.is_some() && users.iter().any(is_developer) {
        development
    } else {
        app.manifest.text(AppText::WebhookUrl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Changes;
    use crate::fixture::{email, owned, visitor};
    use crate::instant::Instant;
    use proptest::prelude::*;

    fn receiver(events: &[EventType], file_patterns: &[&str]) -> Receiver {
        Receiver {
            app: AppId::stored("tax-bot".to_owned()),
            events: events.to_vec(),
            file_patterns: owned(file_patterns),
            own_events: true,
        }
    }

    fn receives_file(receiver: &Receiver, name: &str) -> bool {
        receiver.receives(EventType::FileCreated, Some(name), None)
    }

    #[test]
    fn receiver_gets_only_its_event_types() {
        for kind in EventType::ALL {
            assert!(receiver(&[*kind], &[]).receives(*kind, None, None), "8.11: {kind:?}");
            assert!(!receiver(&[], &[]).receives(*kind, None, None), "8.11: {kind:?}");
        }
    }

    #[test]
    fn own_events_can_be_switched_off() {
        let kind = EventType::TransactionPosted;
        let all = receiver(&[kind], &[]);
        let others = Receiver { own_events: false, ..all.clone() };
        for (agent, own) in
            [(None, false), (Some("tax-bot"), true), (Some("Tax-Bot"), false), (Some("x"), false)]
        {
            assert!(all.receives(kind, None, agent), "8.11: {agent:?}");
            assert_eq!(others.receives(kind, None, agent), !own, "8.11: {agent:?}");
        }
    }

    #[test]
    fn file_patterns_match_names() {
        for (pattern, name, expected) in [
            ("*.csv", "bank.csv", true),
            ("*.csv", "BANK.CSV", true),
            ("*.csv", "bank.csv.zip", false),
            ("*.CSV", "bank.csv", true),
            ("statement-?.ofx", "statement-1.ofx", true),
            ("statement-?.ofx", "statement-10.ofx", false),
            ("*", "", true),
            ("?", "é", true),
            ("[ab].txt", "b.txt", true),
            ("[", "[", true),
            ("[", "a", false),
            ("a/*", "a/b/c", true),
        ] {
            let app = receiver(&[EventType::FileCreated], &["x", pattern]);
            assert_eq!(receives_file(&app, name), expected, "8.11: {pattern} {name}");
        }
        let all = receiver(&[EventType::FileCreated], &[]);
        assert!(receives_file(&all, "any.pdf"), "8.11: no pattern means all");
    }

    #[test]
    fn subjects_matter_for_created_files_and_the_own_integration() {
        use EventType::{BookUpdated, FileUpdated, IntegrationCreated, IntegrationDeleted};
        let app = receiver(EventType::ALL, &["*.csv"]);
        for kind in [FileUpdated, BookUpdated] {
            assert!(app.receives(kind, Some("a.pdf"), None), "8.11: {kind:?}");
        }
        for kind in [IntegrationCreated, EventType::IntegrationUpdated, IntegrationDeleted] {
            assert!(!app.receives(kind, Some("tax-bot"), None), "8.11: {kind:?}");
            assert!(app.receives(kind, Some("other-bot"), None), "8.11: {kind:?}");
        }
    }

    #[test]
    fn developers_use_the_development_address() {
        let emails = ["owner@a.example", "dev@b.example", "eve@c.example"].map(email);
        let [owner, developer, eve] =
            [0, 1, 2].map(|index: u8| visitor(i64::from(index) + 1, &emails[usize::from(index)]));
        let app = |url: Option<&str>, dev: Option<&str>| {
            let texts = [
                (AppText::Developers, Some("*@b.example".to_owned())),
                (AppText::WebhookUrl, url.map(str::to_owned)),
                (AppText::WebhookUrlDev, dev.map(str::to_owned)),
            ];
            let (name, texts) = (Some("Bot".to_owned()), texts.into());
            let changes = Changes { name, texts, ..Changes::default() };
            App::create(Some("bot"), changes, &owner, Instant::new(0)).unwrap()
        };
        let (url, dev) = ("https://bot.example/hook", "https://dev.example/hook");
        let both = app(Some(url), Some(dev));
        let administrator = Visitor { is_administrator: true, ..eve };
        for (app, users, expected) in [
            (&both, [eve, eve], Some(url)),
            (&both, [owner, eve], Some(dev)),
            (&both, [eve, developer], Some(dev)),
            (&both, [administrator; 2], Some(url)),
            (&app(Some(url), None), [owner; 2], Some(url)),
            (&app(None, Some(dev)), [eve; 2], None),
            (&app(None, Some(dev)), [owner; 2], Some(dev)),
        ] {
            assert_eq!(webhook_url(app, &users), expected, "{users:?}");
        }
    }

    proptest! {
        /// No pattern panics, and a name without wildcards matches itself.
        #[test]
        fn any_pattern_is_accepted(pattern in "[*?\\[\\]a-c!-]{0,40}", name in "[a-c.]{0,40}") {
            let of = |pattern: &str| receiver(&[EventType::FileCreated], &[pattern]);
            let _ = receives_file(&of(&pattern), &name);
            prop_assert!(receives_file(&of(&name), &name));
            let (any, longer) = (format!("*{name}"), format!("x{name}"));
            prop_assert!(receives_file(&of(&any), &longer), "{} {}", any, longer);
        }
    }
}
