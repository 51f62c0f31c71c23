//! Signing in with headless Chromium at the size of a phone (11.3, 11.4, 11.14, 11.16 - 11.19). The
//! pages of the server must work without scripts.

mod app;
mod mailed;
mod provider;

use daybook_tests::browser::login_link;
use daybook_tests::chromium::{Chromium, missing};
use daybook_tests::{Server, encode, unique};
use serde_json::{Value, json};

use app::App;

/// One flow runs in `make test`.
pub fn tests() -> Vec<crate::Case> {
    crate::cases![program_gets_a_code_by_redirect]
        .into_iter()
        .map(|case| case.needs(missing))
        .collect()
}

pub fn nightly() -> Vec<crate::Case> {
    crate::cases![
        device_code_signs_in_a_program,
        app_of_a_listed_origin_refreshes_tokens,
        cross_site_link_does_not_sign_out,
        implicit_app_gets_a_token_in_the_fragment,
        framed_consent_page_is_blocked,
    ]
    .into_iter()
    .chain(mailed::tests())
    .chain(provider::tests())
    .map(|case| case.needs(missing))
    .collect()
}

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn person() -> String {
    format!("{}@example.com", unique("chromium"))
}

/// Returns the server address with the host `localhost`, which is the same site as apps on other
/// ports.
fn base(server: &Server) -> String {
    format!("http://localhost:{}", server.address().port())
}

/// Opens a sign-in link and presses its button.
#[track_caller]
fn sign_in(browser: &Chromium, server: &Server, email: &str) {
    let code = login_link(server, email);
    browser.open(&format!("{}/auth/link?code={code}", base(server)));
    assert!(browser.text().contains(email));
    browser.fits_a_telephone();
    browser.click("Sign in");
}

fn authorize_url(server: &Server, redirect_uri: &str, rest: &str) -> String {
    let uri = encode(redirect_uri);
    format!("{}/auth/authorize?redirect_uri={uri}&scope=email&state=s1&{rest}", base(server))
}

fn authorize_url_for_code(server: &Server, redirect_uri: &str) -> String {
    let rest = format!(
        "response_type=code&client_id=daybook-cli&code_challenge_method=S256\
         &code_challenge={CHALLENGE}"
    );
    authorize_url(server, redirect_uri, &rest)
}

#[track_caller]
fn post(server: &Server, path: &str, form: &str) -> Value {
    let kind = Some("application/x-www-form-urlencoded");
    let client = server.anonymous();
    let client = client.header("X-Forwarded-For", &daybook_tests::unique_address());
    client.send_raw("POST", path, kind, form.as_bytes()).ok()
}

/// Exchanges the code of the redirect for tokens.
#[track_caller]
fn redeem_code(browser: &Chromium, server: &Server, uri: &str) -> Value {
    let url = browser.wait_for(&format!("{uri}?code="));
    assert!(url.contains("&state=s1&iss=http%3A%2F%2Flocalhost"), "{url}");
    let code = url.split_once("code=").and_then(|(_, rest)| rest.split('&').next());
    let form = format!(
        "grant_type=authorization_code&client_id=daybook-cli&code_verifier={VERIFIER}\
         &redirect_uri={}&code={}",
        encode(uri),
        code.expect("a code")
    );
    post(server, "/auth/token", &form)
}

#[track_caller]
fn assert_signed_in(server: &Server, tokens: &Value, email: &str) {
    let token = tokens["access_token"].as_str().unwrap_or_else(|| panic!("a token: {tokens}"));
    assert_eq!(server.client_with_token(token).get("/v5/user").ok()["email"], email);
}

/// From signing in by a link through the consent to the redirect to the program.
fn program_gets_a_code_by_redirect(server: &Server) {
    let (email, app) = (person(), App::start("<p>Back in the program</p>"));
    let uri = format!("http://127.0.0.1:{}/callback", app.port());
    let browser = Chromium::without_scripts();
    browser.open(&authorize_url_for_code(server, &uri));
    assert!(browser.text().contains("Open your sign-in link"), "{}", browser.text());
    browser.fits_a_telephone();
    sign_in(&browser, server, &email);
    browser.wait_for_text("asks for access to your books");
    browser.fits_a_telephone();
    browser.click("Allow");
    assert_signed_in(server, &redeem_code(&browser, server, &uri), &email);
    browser.open(&format!("{}/auth/consents", base(server)));
    browser.fits_a_telephone();
    browser.click("End access");
    browser.wait_for_text("No app has access");
    browser.open(&authorize_url_for_code(server, &uri));
    browser.click("Deny");
    let url = browser.wait_for(&format!("{uri}?error="));
    assert!(url.contains("error=access_denied"), "{url}");
}

fn device_code_signs_in_a_program(server: &Server) {
    let email = person();
    let begun = post(server, "/auth/device/code", "client_id=daybook-cli");
    let (code, device) = (begun["user_code"].as_str(), begun["device_code"].as_str());
    let (code, device) = (code.expect("a code"), device.expect("a code"));
    let browser = Chromium::without_scripts();
    browser.open(&format!("{}/auth/device", base(server)));
    sign_in(&browser, server, &email);
    browser.wait_for(&format!("{}/auth/device", base(server)));
    browser.fits_a_telephone();
    browser.type_into("input[name=user_code]", "bbbb bbbb");
    browser.click("Continue");
    browser.wait_for_text("is unknown or has expired");
    browser.type_into("input[name=user_code]", &code.to_lowercase());
    browser.click("Continue");
    browser.wait_for_text(code);
    browser.fits_a_telephone();
    browser.click("Allow");
    browser.wait_for_text("Access allowed");
    let form = format!(
        "grant_type={}&client_id=daybook-cli&device_code={device}",
        encode("urn:ietf:params:oauth:grant-type:device_code")
    );
    assert_signed_in(server, &post(server, "/auth/token", &form), &email);
}

/// 11.4: browser clients of v5 refresh by cookie and redirect signed-out users to the login page.
fn app_of_a_listed_origin_refreshes_tokens(server: &Server) {
    const PAGE: &str = "<p id=who></p><a id=out>Sign out</a><script>
        const base = 'BASE', here = location.origin + '/';
        document.getElementById('out').href =
            base + '/auth/logout?returnUrl=' + encodeURIComponent(here + 'bye');
        const show = text => document.getElementById('who').textContent = text;
        (async () => {
            if (location.pathname === '/bye') return show('signed out');
            const answer = await fetch(base + '/auth/refresh',
                {method: 'POST', credentials: 'include'});
            if (answer.status === 401) {
                location.href = base + '/auth/login?returnUrl=' + encodeURIComponent(here);
                return;
            }
            const {accessToken} = await answer.json();
            const user = await fetch(base + '/v5/user',
                {headers: {Authorization: 'Bearer ' + accessToken}});
            show('you are ' + (await user.json()).email);
        })().catch(error => show('failed: ' + error));
        </script>";
    let (email, app) = (person(), App::start(""));
    let here = format!("http://localhost:{}", app.port());
    let server = server.beside(&["--web-origins", &here]);
    app.set_page(&PAGE.replace("BASE", &base(&server)));
    let browser = Chromium::with_scripts();
    browser.open(&format!("{here}/"));
    browser.wait_for(&format!("{}/auth/login", base(&server)));
    sign_in(&browser, &server, &email);
    browser.wait_for(&format!("{here}/"));
    browser.wait_for_text(&format!("you are {email}"));
    browser.click("Sign out");
    browser.wait_for_text("signed out");
    browser.open(&format!("{here}/"));
    browser.wait_for(&format!("{}/auth/login", base(&server)));
    let elsewhere = App::start(&PAGE.replace("BASE", &base(&server)));
    browser.open(&format!("http://localhost:{}/", elsewhere.port()));
    browser.wait_for_text("failed: TypeError");
}

/// 11.4: the browser sends the cookie and marks the request as cross-site.
fn cross_site_link_does_not_sign_out(server: &Server) {
    let server = &server.beside(&["--no-console"]);
    let (email, out) = (person(), format!("{}/auth/logout", base(server)));
    let app = App::start(&format!("<a href=\"{out}\">Win a prize</a>"));
    let browser = Chromium::without_scripts();
    sign_in(&browser, server, &email);
    browser.wait_for_text("You are signed in");
    browser.open(&format!("http://127.0.0.1:{}/", app.port()));
    browser.click("Win a prize");
    browser.wait_for(&out);
    browser.wait_for_text("You are still signed in");
    browser.fits_a_telephone();
    browser.open(&format!("{}/auth/consents", base(server)));
    browser.wait_for_text(&email);
    browser.open(&format!("http://127.0.0.1:{}/", app.port()));
    browser.click("Win a prize");
    browser.wait_for_text("You are still signed in");
    browser.click("Sign out");
    browser.wait_for_text("You are signed out");
    browser.open(&format!("{}/auth/consents", base(server)));
    browser.wait_for_text("Open your sign-in link");
}

fn implicit_app_gets_a_token_in_the_fragment(server: &Server) {
    let (email, app) = (person(), App::start("<p>The older app</p>"));
    let uri = format!("http://localhost:{}/", app.port());
    let file = server.data_dir().join(unique("clients"));
    let entry = json!({"clientId": "old", "name": "Old", "implicit": true, "redirectUris": [uri]});
    std::fs::write(&file, json!({ "items": [entry] }).to_string()).expect("a file");
    let server = server.beside(&["--no-console", "--clients", file.to_str().expect("a path")]);
    let browser = Chromium::without_scripts();
    sign_in(&browser, &server, &email);
    browser.wait_for_text("You are signed in");
    browser.open(&authorize_url(&server, &uri, "response_type=token&client_id=old"));
    browser.click("Allow");
    let url = browser.wait_for(&format!("{uri}#access_token="));
    let token = url.split_once("access_token=").and_then(|(_, rest)| rest.split('&').next());
    assert_signed_in(&server, &json!({ "access_token": token }), &email);
}

/// Protects against clickjacking from the same site and from other sites.
fn framed_consent_page_is_blocked(server: &Server) {
    let server = &server.beside(&["--no-console"]);
    let uri = "http://127.0.0.1:9/callback";
    let browser = Chromium::with_scripts();
    sign_in(&browser, server, &person());
    browser.wait_for_text("You are signed in");
    let frame = format!(
        "<p>Framed</p><iframe src=\"{}\"></iframe>",
        authorize_url_for_code(server, uri).replace('&', "&amp;")
    );
    let app = App::start(&frame);
    for host in ["localhost", "127.0.0.1"] {
        browser.open(&format!("http://{host}:{}/", app.port()));
        browser.wait_for_text("Framed");
        browser.enter_frame(0);
        assert_eq!(browser.find("button[name=decision]"), Vec::<String>::new());
        assert!(!browser.text().contains("your books"), "{}", browser.text());
    }
    browser.open(&authorize_url_for_code(server, uri));
    assert_eq!(browser.find("button[name=decision]").len(), 2, "alone it is shown");
}
