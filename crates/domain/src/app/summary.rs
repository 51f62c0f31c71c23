//! How an app looks to those who see what it made.

use super::{App, AppText};

/// Longest logo, in characters, that is shown beside what an app made, because it is shown beside
/// each thing.
pub const MAX_LOGO: usize = 2_048;

/// The name and the logos of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppSummary {
    /// The name.
    pub name: String,
    /// The logo on light ground.
    pub logo: Option<String>,
    /// The logo on dark ground.
    pub logo_dark: Option<String>,
}

impl From<&App> for AppSummary {
    fn from(app: &App) -> Self {
        let logo = |text| {
            let logo = app.manifest.text(text).filter(|logo| logo.chars().count() <= MAX_LOGO);
            logo.map(str::to_owned)
        };
        Self {
            name: app.manifest.name.as_str().to_owned(),
            logo: logo(AppText::LogoUrl),
            logo_dark: logo(AppText::LogoUrlDark),
        }
    }
}
