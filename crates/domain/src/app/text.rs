//! The texts of a manifest, their formats and their visibility (behaviour 9.3).

use super::refusal::Refusal;
use crate::named::named;

/// Declares the texts: `texts! { Variant "name" Kind, }`.
macro_rules! texts {
    ($($(#[$doc:meta])* $variant:ident $name:literal $kind:ident,)*) => {
        named! {
            /// A text of a manifest.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum AppText {
                $($(#[$doc])* $variant = $name,)*
            }
        }

        impl AppText {
            const fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind,)* }
            }
        }
    };
}

texts! {
    /// The expected version of the payload. This server sends v5 only (behaviour 8.13).
    ApiVersion "apiVersion" Version,
    /// The OAuth client id.
    ClientId "clientId" Short,
    /// The description.
    Description "description" Long,
    /// Users who may change it: usernames and `*@domain`.
    Developers "developers" Long,
    /// The logo.
    LogoUrl "logoUrl" Logo,
    /// The logo for dark backgrounds.
    LogoUrlDark "logoUrlDark" Logo,
    /// The way its menu opens.
    MenuOpenMode "menuOpenMode" OpenMode,
    /// The height of its menu. Deprecated.
    MenuPopupHeight "menuPopupHeight" Short,
    /// The width of its menu. Deprecated.
    MenuPopupWidth "menuPopupWidth" Short,
    /// The label of its menu.
    MenuText "menuText" Short,
    /// The address its menu opens. User interfaces resolve expressions in it (behaviour 12.8).
    MenuUrl "menuUrl" Link,
    /// The address its menu opens for its developers.
    MenuUrlDev "menuUrlDev" Link,
    /// The logo of the vendor.
    OwnerLogoUrl "ownerLogoUrl" Logo,
    /// The name of the vendor.
    OwnerName "ownerName" Short,
    /// The website of the vendor.
    OwnerWebsite "ownerWebsite" Link,
    /// The readme.
    Readme "readme" Readme,
    /// The readme in Markdown.
    ReadmeMd "readmeMd" Readme,
    /// The address of its repository.
    RepoUrl "repoUrl" Link,
    /// Users who may use it before it is published: usernames and `*@domain`.
    Users "users" Long,
    /// The address its events are delivered to.
    WebhookUrl "webhookUrl" Webhook,
    /// The address for events that its developers cause.
    WebhookUrlDev "webhookUrlDev" Webhook,
    /// The website.
    Website "website" Link,
}

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Short,
    Long,
    Readme,
    /// An address that users follow. It must not be a script URL.
    Link,
    /// The address of an image, or the image itself as a `data:` URL.
    Logo,
    /// An address to which this server sends requests.
    Webhook,
    Version,
    OpenMode,
}

impl Kind {
    /// Returns the maximum length in characters.
    const fn max_length(self) -> usize {
        match self {
            Self::Short => 255,
            Self::Link | Self::Webhook | Self::Version | Self::OpenMode => 2_048,
            Self::Long | Self::Logo => 8_192,
            Self::Readme => 65_536,
        }
    }
}

impl AppText {
    /// Returns whether only the owner and the developers see it.
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

    /// Validates a value, and trims it unless it is a readme.
    ///
    /// # Errors
    /// [`Refusal::TooLong`], [`Refusal::NotAnAddress`] and [`Refusal::UnknownWord`].
    pub fn validate(self, text: &str) -> Result<String, Refusal> {
        let kind = self.kind();
        let text = if kind == Kind::Readme { text } else { text.trim() };
        let (length, max) = (text.chars().count(), kind.max_length());
        if length > max {
            return Err(Refusal::TooLong(self.as_str(), length, max));
        }
        match kind {
            Kind::Short | Kind::Long | Kind::Readme => {}
            Kind::Link if is_safe_link(text) => {}
            Kind::Logo if is_safe_link(text) || is_image(text) => {}
            Kind::Webhook if is_web_address(text) => {}
            Kind::Link | Kind::Logo | Kind::Webhook => {
                return Err(Refusal::NotAnAddress(self.as_str()));
            }
            Kind::Version | Kind::OpenMode => self.check_word(text)?,
        }
        Ok(text.to_owned())
    }

    /// Checks a text that has a fixed set of values.
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

/// Returns whether the text is an http or https URL with a host.
fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':', '@']))
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Returns whether a browser that follows the text sends a request: the scheme is absent, http or
/// https.
///
/// Control characters are refused because browsers drop them before they parse the scheme.
fn is_safe_link(text: &str) -> bool {
    let before = text.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = before.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    // A scheme after an expression, such as `${book.id}:x`, is refused too.
    let is_web = scheme.is_none_or(|scheme| scheme == "http" || scheme == "https");
    is_web && !text.chars().any(char::is_control)
}

fn is_image(text: &str) -> bool {
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
    fn texts_are_validated_by_their_format() {
        let (short, shorter) = ("é".repeat(256), "é".repeat(255));
        for (text, value, is_valid) in [
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
            assert_eq!(text.validate(value).is_ok(), is_valid, "{text:?} {value:?}");
        }
        assert_eq!(AppText::OwnerName.validate(" Me ").as_deref(), Ok("Me"));
        assert_eq!(AppText::ReadmeMd.validate("    code\n").as_deref(), Ok("    code\n"));
    }
}
