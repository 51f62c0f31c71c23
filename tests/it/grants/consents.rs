//! Consents (11.16): stored per user and client, listed, and withdrawn with all tokens.

use daybook_tests::Server;
use daybook_tests::browser::{Browser, is_page};

use super::{ASKED, CLI, code, is_refused, lets_in, path_of, person, redeem, refresh, text};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![withdrawn_consent_revokes_tokens, consent_is_per_user]
}

fn withdrawn_consent_revokes_tokens(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let empty = browser.get("/auth/consents");
    is_page(&empty, 200);
    assert!(empty.text.contains("No app") && empty.text.contains(&email), "{}", empty.text);
    let tokens = [(); 2].map(|()| redeem(server, &code(&mut browser, &ASKED)));
    let listed = browser.get("/auth/consents");
    assert!(listed.text.contains("Daybook command line"), "{}", listed.text);
    let back = browser.post("/auth/consents", &[("client_id", CLI)]);
    assert_eq!((back.status, back.headers["location"].as_str()), (303, "/auth/consents"));
    assert!(browser.get("/auth/consents").text.contains("No app"));
    for tokens in &tokens {
        let client = server.client_with_token(text(tokens, "access_token"));
        client.get("/v5/user").refused(401, "required");
        is_refused(&refresh(server, text(tokens, "refresh_token")), 400, "invalid_grant");
    }
    is_page(&browser.get(&path_of(&ASKED)), 200);
    is_page(&Browser::new(server).get("/auth/consents"), 200);
}

fn consent_is_per_user(server: &Server) {
    let (mut one, email) = (Browser::signed_in(server, &person()), person());
    let mut other = Browser::signed_in(server, &email);
    code(&mut one, &ASKED);
    is_page(&other.get(&path_of(&ASKED)), 200);
    let tokens = redeem(server, &code(&mut other, &ASKED));
    one.post("/auth/consents", &[("client_id", CLI)]);
    lets_in(server, text(&tokens, "access_token"), &email);
}
