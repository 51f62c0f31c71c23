//! What people read about a request that never reached a use case.

use crate::error::{RequestError, UNAVAILABLE};

impl RequestError {
    pub(crate) fn message(&self) -> String {
        match self {
            Self::LoginRequired => {
                "Login Required: send a valid access token as Authorization: Bearer <token>"
                    .to_owned()
            }
            Self::NoEmail(why) => {
                format!("Login Required: this access token lets nobody in: {why}")
            }
            Self::TooMany(_, message) => message.clone(),
            Self::Disabled => "this user is disabled; ask the operator of this server".to_owned(),
            Self::UnknownOrigin => {
                "apps of this origin may not use sessions; the operator lists those that may"
                    .to_owned()
            }
            Self::SessionTokenExpired => {
                "the access token of this session has expired; get the next one from /auth/refresh"
                    .to_owned()
            }
            Self::UnknownRoute => "route not found".to_owned(),
            Self::NotOffered(what) => format!("this server does not offer {what}"),
            Self::MethodNotAllowed(_) => "this path does not answer that method".to_owned(),
            Self::Malformed(text) => format!("the body is not valid JSON: {text}"),
            Self::InvalidFormat(text) => format!("InvalidFormatException: {text}"),
            Self::TooLarge => {
                "the body is larger than 32 MB, or has more than 1,000,000 values".to_owned()
            }
            Self::FileTooLarge => {
                "the content of a file has at most 20 MB (20,971,520 bytes)".to_owned()
            }
            Self::FormTooLarge => "a form has at most 16 KB".to_owned(),
            Self::UnsupportedMediaType => "send JSON as Content-Type: application/json".to_owned(),
            Self::NoForm => {
                "send a form as Content-Type: application/x-www-form-urlencoded".to_owned()
            }
            Self::UnreadableForm => "the form is not UTF-8, or holds the character NUL".to_owned(),
            Self::BodyTooSlow => "the body did not arrive in time".to_owned(),
            Self::HeadTooSlow => "the head of the request did not arrive in time".to_owned(),
            Self::AnswerTooLarge(advice) => {
                format!("the answer would take more than 64 MB (67,108,864 bytes); {advice}")
            }
            Self::DeadlineExceeded(most) => format!(
                "reading took longer than {} s, the deadline of this server; ask for less: a \
                    shorter period, fewer terms, a smaller limit",
                most.as_secs()
            ),
            Self::Crowded(why) => (*why).to_owned(),
            Self::FilesUnavailable(_) => UNAVAILABLE.to_owned(),
            Self::ProviderUnavailable(_) => {
                "the identity provider does not answer; try again shortly".to_owned()
            }
            Self::Failed(_) => "internal error".to_owned(),
        }
    }
}
