//! Signing in through an OpenID provider on the way to a program (11.20), in a browser.

use daybook_tests::Server;
use daybook_tests::chromium::Chromium;
use daybook_tests::provider::{File, Provider, missing};
use serde_json::json;

use super::app::App;
use super::{assert_signed_in, authorize_url_for_code, base, person, redeem_code};

pub(super) fn tests() -> Vec<crate::Case> {
    crate::cases![provider_sign_in_returns_to_the_program]
        .into_iter()
        .map(|case| case.needs(missing))
        .collect()
}

/// Signs in on the page of the provider.
#[track_caller]
fn sign_in(browser: &Chromium, provider: &Provider, sub: &str) {
    browser.click("Sign in with Example Id");
    browser.wait_for(provider.issuer());
    browser.type_into("input[name=login]", sub);
    browser.type_into("input[name=password]", "any");
    browser.click("Sign-in");
}

/// From the program to the provider, back, through the consent, and to the program. The provider is
/// another site, so cross-site cookie rules apply.
fn provider_sign_in_returns_to_the_program(server: &Server) {
    let provider = Provider::start();
    let file = File::new(&[provider.signing_in("Example Id", true)]);
    let path = file.path().display().to_string();
    let settings = ["--providers", &path, "--admit", "@example.com", "--quota-per-minute", "0"];
    let server = &server.beside(&settings);
    provider.set(&json!({"redirects": [format!("{}/auth/callback", base(server))]}));
    let (email, app) = (person(), App::start("<p>Back in the program</p>"));
    provider.user("petra", &json!({"email": email, "email_verified": true, "name": "Petra"}));
    let uri = format!("http://127.0.0.1:{}/callback", app.port());
    let browser = Chromium::without_scripts();
    browser.open(&authorize_url_for_code(server, &uri));
    browser.fits_a_telephone();
    sign_in(&browser, &provider, "petra");
    browser.wait_for_text("Continue");
    browser.click("Continue");
    browser.wait_for_text("asks for access to your books");
    assert!(browser.text().contains(&email), "{}", browser.text());
    browser.fits_a_telephone();
    browser.click("Allow");
    assert_signed_in(server, &redeem_code(&browser, server, &uri), &email);
    // With `prompt=login` a signed-in user signs in again.
    browser.open(&format!("{}&prompt=login", authorize_url_for_code(server, &uri)));
    sign_in(&browser, &provider, "petra");
    browser.wait_for_text("asks for access to your books");
    browser.click("Allow");
    assert_signed_in(server, &redeem_code(&browser, server, &uri), &email);
    let other = Chromium::without_scripts();
    other.open(&authorize_url_for_code(server, &uri));
    other.click("Sign in with Example Id");
    other.wait_for(provider.issuer());
    other.click("Cancel");
    other.wait_for_text("denied the sign-in");
    other.fits_a_telephone();
}
