//! The texts of a manifest besides its name: what each may be, and who sees it (behaviour 9.3).

use super::refusal::Refusal;

/// Declares the texts: `texts! { Variant "name" kind, }`.
macro_rules! texts {
    ($($(#[$doc:meta])* $variant:ident $name:literal $kind:ident,)*) => {
        /// A text of a manifest.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AppText {
            $($(#[$doc])* $variant,)*
        }

        impl AppText {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name of its field.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            const fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind,)* }
            }
        }
    };
}

texts! {
    /// The version of the payload it expects; this server has v5 only (behaviour 8.13).
    ApiVersion "apiVersion" Version,
    /// Its id as an OAuth client.
    ClientId "clientId" Short,
    /// What it is for.
    Description "description" Long,
    /// Who may change it: usernames, and `*@domain`.
    Developers "developers" Long,
    /// Its logo.
    LogoUrl "logoUrl" Logo,
    /// Its logo on a dark ground.
    LogoUrlDark "logoUrlDark" Logo,
    /// How its menu opens.
    MenuOpenMode "menuOpenMode" OpenMode,
    /// The height of its menu. Deprecated.
    MenuPopupHeight "menuPopupHeight" Short,
    /// The width of its menu. Deprecated.
    MenuPopupWidth "menuPopupWidth" Short,
    /// What its menu is called.
    MenuText "menuText" Short,
    /// What its menu opens, perhaps with expressions, which user interfaces resolve (behaviour
    /// 12.8).
    MenuUrl "menuUrl" Link,
    /// The same, for its developers.
    MenuUrlDev "menuUrlDev" Link,
    /// The logo of who makes it.
    OwnerLogoUrl "ownerLogoUrl" Logo,
    /// Who makes it.
    OwnerName "ownerName" Short,
    /// The website of who makes it.
    OwnerWebsite "ownerWebsite" Link,
    /// What to read about it.
    Readme "readme" Readme,
    /// The same, in Markdown.
    ReadmeMd "readmeMd" Readme,
    /// Where its source is.
    RepoUrl "repoUrl" Link,
    /// Who may use it before it is published: usernames, and `*@domain`.
    Users "users" Long,
    /// Where its events are delivered.
    WebhookUrl "webhookUrl" Webhook,
    /// Where its events are delivered to when its developers cause them.
    WebhookUrlDev "webhookUrlDev" Webhook,
    /// Its website.
    Website "website" Link,
}

/// What a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Short,
    Long,
    Readme,
    /// An address that people follow, which must not run as a script where it is shown.
    Link,
    /// The address of a picture, or the picture itself in Base64.
    Logo,
    /// An address that this server calls.
    Webhook,
    Version,
    OpenMode,
}

impl Kind {
    /// The most characters.
    const fn longest(self) -> usize {
        match self {
            Self::Short => 255,
            Self::Link | Self::Webhook | Self::Version | Self::OpenMode => 2_048,
            Self::Long | Self::Logo => 8_192,
            Self::Readme => 65_536,
        }
    }
}

impl AppText {
    /// The text of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|text| text.as_str() == name)
    }

    /// Whether only its owner and developers see it.
    #[must_use]
    pub const fn is_internal(self) -> bool {
        matches!(
            self,
            Self::ClientId
                | Self::Developers
                | Self::MenuUrlDev
                | Self::Users
                | Self::WebhookUrl
                | Self::WebhookUrlDev
        )
    }

    /// Checks a text, and trims it unless it is one to read.
    ///
    /// # Errors
    /// [`Refusal`] for a text that is too long, or is not what it must be.
    pub fn checked(self, text: &str) -> Result<String, Refusal> {
        let kind = self.kind();
        let text = if kind == Kind::Readme { text } else { text.trim() };
        let (length, longest) = (text.chars().count(), kind.longest());
        if length > longest {
            return Err(Refusal::TooLong(self.as_str(), length, longest));
        }
        match kind {
            Kind::Short | Kind::Long | Kind::Readme => {}
            Kind::Link if is_followed(text) => {}
            Kind::Logo if is_followed(text) || is_picture(text) => {}
            Kind::Webhook if is_called(text) => {}
            Kind::Link | Kind::Logo | Kind::Webhook => {
                return Err(Refusal::NotAnAddress(self.as_str()));
            }
            Kind::Version | Kind::OpenMode => self.check_word(text)?,
        }
        Ok(text.to_owned())
    }

    /// Checks a text that is one of a few words.
    ///
    /// # Errors
    /// [`Refusal::UnknownWord`].
    pub fn check_word(self, text: &str) -> Result<(), Refusal> {
        let words = match self.kind() {
            Kind::Version => VERSIONS,
            Kind::OpenMode => OPEN_MODES,
            Kind::Short | Kind::Long | Kind::Readme | Kind::Link | Kind::Logo | Kind::Webhook => {
                return Ok(());
            }
        };
        let is_known = words.split(", ").any(|word| word == text);
        if is_known { Ok(()) } else { Err(Refusal::UnknownWord(self.as_str(), words)) }
    }
}

const VERSIONS: &str = "v0, v1, v2, v3, v4, v5";
const OPEN_MODES: &str = "SIDEBAR, EXPANDED, NEW_TAB";

fn is_called(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':', '@']))
        && text.chars().all(is_plain)
}

/// Whether a browser that follows the text asks a server: it has no scheme, or that of the web. A
/// browser drops control characters before it reads the scheme.
fn is_followed(text: &str) -> bool {
    let before = text.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = before.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    // An expression before the scheme would hide it.
    let is_web = scheme.is_none_or(|scheme| scheme == "http" || scheme == "https");
    is_web && !text.chars().any(char::is_control)
}

fn is_picture(text: &str) -> bool {
    let data = text.strip_prefix("data:image/").and_then(|data| data.split_once(";base64,"));
    data.is_some_and(|(kind, bytes)| {
        kind.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            && bytes.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_text_may_be() {
        let (short, shorter) = ("é".repeat(256), "é".repeat(255));
        for (text, value, is_fit) in [
            (AppText::ClientId, shorter.as_str(), true),
            (AppText::ClientId, short.as_str(), false),
            (AppText::Description, short.as_str(), true),
            (AppText::ApiVersion, "v5", true),
            (AppText::ApiVersion, "v6", false),
            (AppText::ApiVersion, "V5", false),
            (AppText::MenuOpenMode, "NEW_TAB", true),
            (AppText::MenuOpenMode, "POPUP", false),
            (AppText::WebhookUrl, "https://bot.example/hook?x=1", true),
            (AppText::WebhookUrlDev, "http://localhost:3001", true),
            (AppText::WebhookUrl, "bot.example", false),
            (AppText::WebhookUrl, "https://", false),
            (AppText::WebhookUrl, "https:///path", false),
            (AppText::WebhookUrl, "https://bot.example/a b", false),
            (AppText::WebhookUrl, "ftp://bot.example", false),
            (AppText::MenuUrl, "https://ui.example?book=${book.id}&a=${account.id}", true),
            (AppText::MenuUrl, "/menu?at=10:30", true),
            (AppText::MenuUrl, "JavaScript:alert(1)", false),
            (AppText::MenuUrl, "java\tscript:alert(1)", false),
            (AppText::MenuUrl, "${book.id}:x", false),
            (AppText::RepoUrl, "github.com/me/bot", true),
            (AppText::LogoUrl, "data:image/svg+xml;base64,PHN2Zz4=", true),
            (AppText::LogoUrl, "data:text/html;base64,PHN2Zz4=", false),
            (AppText::LogoUrl, "iVBORw0KGgo=", true),
            (AppText::Website, "data:image/png;base64,AAAA", false),
        ] {
            assert_eq!(text.checked(value).is_ok(), is_fit, "{text:?} {value:?}");
        }
        assert_eq!(AppText::OwnerName.checked(" Me ").as_deref(), Ok("Me"));
        assert_eq!(AppText::ReadmeMd.checked("    code\n").as_deref(), Ok("    code\n"));
    }

    #[test]
    fn texts_are_known_by_their_names() {
        for text in AppText::ALL {
            assert_eq!(AppText::from_name(text.as_str()), Some(*text));
        }
        assert_eq!(AppText::from_name("name"), None);
    }
}
