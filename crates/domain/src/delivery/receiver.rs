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
    #[must_use]
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
#[must_use]
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
    use crate::email::Email;
    use crate::event::NewEvent;
    use crate::id::UserId;
    use crate::instant::Instant;
    use crate::json::{Json, Object};
    use proptest::prelude::*;

    fn receiver(events: &[EventType], file_patterns: &[&str]) -> Receiver {
        Receiver {
            app: AppId::stored("tax-bot".to_owned()),
            events: events.to_vec(),
            file_patterns: file_patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
            own_events: true,
        }
    }

    fn receives(receiver: &Receiver, event: &NewEvent) -> bool {
        receiver.receives(event.kind, event.subject.as_deref(), None)
    }

    fn file(name: &str) -> NewEvent {
        let object = Object::new().with("name", Json::text(name));
        NewEvent::new(EventType::FileCreated, 1, object)
    }

    #[test]
    fn receiver_gets_only_its_event_types() {
        for kind in EventType::ALL {
            let event = NewEvent::new(*kind, 1, Object::new());
            assert!(receives(&receiver(&[*kind], &[]), &event), "8.11: {kind:?}");
            assert!(!receives(&receiver(&[], &[]), &event), "8.11: {kind:?}");
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
            assert_eq!(receives(&app, &file(name)), expected, "8.11: {pattern} {name}");
        }
        let all = receiver(&[EventType::FileCreated], &[]);
        assert!(receives(&all, &file("any.pdf")), "8.11: no pattern means all");
    }

    #[test]
    fn file_patterns_apply_to_created_files_only() {
        let app = receiver(&[EventType::FileUpdated, EventType::BookUpdated], &["*.csv"]);
        for kind in [EventType::FileUpdated, EventType::BookUpdated] {
            let object = Object::new().with("name", Json::text("a.pdf"));
            assert!(receives(&app, &NewEvent::new(kind, 1, object)), "8.11: {kind:?}");
        }
    }

    #[test]
    fn events_about_own_integration_are_not_received() {
        let kinds = [
            EventType::IntegrationCreated,
            EventType::IntegrationUpdated,
            EventType::IntegrationDeleted,
        ];
        for kind in kinds {
            for (app, expected) in [("tax-bot", false), ("other-bot", true)] {
                let object = Object::new().with("agentId", Json::text(app));
                let event = NewEvent::new(kind, 1, object);
                assert_eq!(receives(&receiver(&kinds, &[]), &event), expected, "{kind:?} {app}");
            }
        }
    }

    #[test]
    fn developers_use_the_development_address() {
        let emails = ["owner@a.example", "dev@b.example", "eve@c.example"];
        let emails = emails.map(|email| Email::parse(email).unwrap());
        let visitor = |number: usize, is_administrator| Visitor {
            id: UserId::new(i64::try_from(number).unwrap()),
            username: ["owner", "dev", "eve"][number],
            email: &emails[number],
            is_administrator,
        };
        let (owner, developer, eve) = (visitor(0, false), visitor(1, false), visitor(2, false));
        let texts = |url: Option<&str>, dev: Option<&str>| {
            [
                (AppText::Developers, Some("*@b.example".to_owned())),
                (AppText::WebhookUrl, url.map(str::to_owned)),
                (AppText::WebhookUrlDev, dev.map(str::to_owned)),
            ]
        };
        let app = |url, dev| {
            let texts = texts(url, dev).into_iter().collect();
            let changes = Changes { name: Some("Bot".to_owned()), texts, ..Changes::default() };
            App::create(Some("bot"), changes, &owner, Instant::new(0)).unwrap()
        };
        let (url, dev) = ("https://bot.example/hook", "https://dev.example/hook");
        let both = app(Some(url), Some(dev));
        assert_eq!(webhook_url(&both, &[eve, eve]), Some(url));
        assert_eq!(webhook_url(&both, &[owner, eve]), Some(dev));
        assert_eq!(webhook_url(&both, &[eve, developer]), Some(dev));
        assert_eq!(webhook_url(&both, &[visitor(2, true)]), Some(url), "an administrator");
        assert_eq!(webhook_url(&app(Some(url), None), &[owner]), Some(url));
        assert_eq!(webhook_url(&app(None, Some(dev)), &[eve]), None);
        assert_eq!(webhook_url(&app(None, Some(dev)), &[owner]), Some(dev));
    }

    proptest! {
        /// No pattern panics, and a name without wildcards matches itself.
        #[test]
        fn any_pattern_is_accepted(pattern in "[*?\\[\\]a-c!-]{0,40}", name in "[a-c.]{0,40}") {
            let of = |pattern: &str| receiver(&[EventType::FileCreated], &[pattern]);
            let _ = receives(&of(&pattern), &file(&name));
            prop_assert!(receives(&of(&name), &file(&name)));
            let (any, longer) = (format!("*{name}"), format!("x{name}"));
            prop_assert!(receives(&of(&any), &file(&longer)), "{} {}", any, longer);
        }
    }
}
