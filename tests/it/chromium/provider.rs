//! Signing in through an OpenID provider, with its own pages, on the way to an app (11.20).

use daybook_tests::Server;
use daybook_tests::chromium::Chromium;
use daybook_tests::provider::{File, Provider, missing};
use serde_json::json;

use super::app::App;
use super::{base, lets_in, person, redeemed, with_code};

pub(super) fn tests() -> Vec<crate::Case> {
    crate::cases![an_app_waits_for_a_provider].into_iter().map(|case| case.needs(missing)).collect()
}

/// Types a name on the page of the provider.
#[track_caller]
fn sign_in(browser: &Chromium, provider: &Provider, sub: &str) {
    browser.click("Sign in with Example Id");
    browser.wait_for(provider.issuer());
    browser.type_into("input[name=login]", sub);
    browser.type_into("input[name=password]", "any");
    browser.click("Sign-in");
}

/// From the question of a program to the provider, back, through the consent, to the program. The
/// provider stands on another site, so what browsers keep from other sites is kept here, too.
fn an_app_waits_for_a_provider(server: &Server) {
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
    browser.open(&with_code(server, &uri));
    browser.fits_a_telephone();
    sign_in(&browser, &provider, "petra");
    browser.wait_for_text("Continue");
    browser.click("Continue");
    browser.wait_for_text("asks for access to your books");
    assert!(browser.text().contains(&email), "{}", browser.text());
    browser.fits_a_telephone();
    browser.click("Allow");
    lets_in(server, &redeemed(&browser, server, &uri), &email);
    // Who is known at both places signs in anew where the program wants it.
    browser.open(&format!("{}&prompt=login", with_code(server, &uri)));
    sign_in(&browser, &provider, "petra");
    browser.wait_for_text("asks for access to your books");
    browser.click("Allow");
    lets_in(server, &redeemed(&browser, server, &uri), &email);
    let other = Chromium::without_scripts();
    other.open(&with_code(server, &uri));
    other.click("Sign in with Example Id");
    other.wait_for(provider.issuer());
    other.click("Cancel");
    other.wait_for_text("did not let you through");
    other.fits_a_telephone();
}
