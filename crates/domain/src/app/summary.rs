//! Summaries of apps, shown beside the resources they created.

use super::{App, AppText};

/// Maximum length of a logo in a summary, in characters. Responses repeat it for each resource.
pub const MAX_LOGO: usize = 2_048;

/// The name and the logos of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppSummary {
    /// The name.
    pub name: String,
    /// The logo for light backgrounds.
    pub logo: Option<String>,
    /// The logo for dark backgrounds.
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
