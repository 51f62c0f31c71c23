//! Signing in by a mailed link on the way to an app (11.14), in a browser.

use daybook_tests::chromium::Chromium;
use daybook_tests::contract::missing;
use daybook_tests::mail_server::{MailServer, Security};
use daybook_tests::{Options, Server, encode, unique};

use super::app::App;
use super::base;

pub(super) fn tests() -> Vec<crate::Case> {
    crate::cases![mailed_link_signs_in_and_returns_to_the_app]
        .into_iter()
        .map(|case| case.needs(missing))
        .collect()
}

/// From the form to the mail, its link, the button and back to the app. The link works once.
fn mailed_link_signs_in_and_returns_to_the_app(server: &Server) {
    let (mail, app) = (MailServer::start(Security::Plain), App::start("<p>Back in the app</p>"));
    let smtp = format!("smtp://localhost:{}", mail.port());
    let here = format!("http://localhost:{}", app.port());
    let settings = [
        ["--smtp-url", &smtp],
        ["--mail-from", "books@example.com"],
        ["--public-url", "http://localhost:{port}"],
        ["--admit", "@example.org"],
        ["--web-origins", &here],
    ];
    // On a shared database another server could send the mail.
    let args = settings.concat().into_iter().map(str::to_owned).collect();
    let engine = server.engine();
    let server = &Server::start_with(Options { engine, args, ..Options::default() });
    let email = format!("{}@example.org", unique("zoe"));
    let browser = Chromium::without_scripts();
    browser.open(&format!("{}/auth/login?returnUrl={}", base(server), encode(&here)));
    browser.fits_a_telephone();
    browser.type_into("input[name=email]", &email);
    browser.click("E-mail me a link");
    browser.wait_for_text("Check your mail");
    assert!(browser.text().contains(&email), "{}", browser.text());
    browser.fits_a_telephone();

    let text = mail.text_to(&email);
    let start = format!("{}/auth/link?code=", base(server));
    let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("{start} in {text}"));
    let code: String = rest.chars().take_while(|c| c.is_ascii_graphic() && *c != '"').collect();
    let link = format!("{start}{code}");
    browser.open(&link);
    browser.wait_for_text(&email);
    browser.fits_a_telephone();
    browser.click("Sign in");
    browser.wait_for(&here);
    browser.wait_for_text("Back in the app");
    browser.open(&format!("{}/auth/consents", base(server)));
    browser.wait_for_text(&email);
    browser.open(&link);
    browser.wait_for_text("This sign-in link no longer works");
}
