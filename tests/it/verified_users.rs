//! Users verified by an identity provider: admission (11.11) and profile (9.11), through the use
//! cases and HTTP.

use std::sync::Arc;

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_domain::user::{Admission, Admitted, Profile};
use daybook_service::user::{self, VerifiedUser};
use daybook_service::{Error, Ids};
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Store};
use daybook_tests::{Cast, Server, unique};
use serde_json::{Value, json};

use crate::inside::open_store;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_11_11_newcomers_by_sharing_are_bounded,
        rule_11_11_newcomers_cannot_invite_on_their_first_day,
        rule_11_11_admission_by_sharing_can_be_disabled,
        claims_replace_profile_fields,
        an_unchanged_profile_writes_nothing,
        invalid_claims_are_ignored,
    ]
}

const NOW: Instant = Instant::new(1_763_000_000_000);

/// A second process that has verified a user.
struct Provider {
    store: Store,
    ids: Arc<Ids>,
}

impl Provider {
    fn beside(server: &Server) -> Provider {
        let store = open_store(server);
        let ids = Arc::new(Ids::new(store.generation()));
        Provider { store, ids }
    }

    fn sign_in(&self, verified: &VerifiedUser, admit: &[&str]) -> Result<User, Error> {
        let entries = admit.iter().map(|entry| entry.parse::<Admitted>().expect("an entry"));
        self.sign_in_at(verified, entries.collect(), NOW)
    }

    fn sign_in_at(
        &self,
        verified: &VerifiedUser,
        admission: Admission,
        now: Instant,
    ) -> Result<User, Error> {
        let (verified, ids) = (verified.clone(), Arc::clone(&self.ids));
        self.store.write(ShardKey::of_new_user(&verified.email), move |tx| {
            user::sign_in_verified(tx, &verified, &admission, &ids, now)
        })
    }

    fn find(&self, verified: &VerifiedUser) -> Option<User> {
        let entry = format!("@{}", verified.email.domain()).parse::<Admitted>().expect("an entry");
        let all: Admission = [entry].into_iter().collect();
        self.store.read(|tx| user::find_verified(tx, verified, &all, NOW)).expect("a reading")
    }

    fn known(&self, email: &Email) -> bool {
        self.store.read(|tx| user::find(tx, email)).expect("a reading").is_some()
    }

    /// The number of user changes, as all processes see it.
    fn changes(&self) -> i64 {
        let count =
            |tx: &mut daybook_storage::Tx<'_>| Ok::<_, Error>(tx.identity_changes().count()?);
        self.store.read(count).expect("a count")
    }
}

fn verified(email: &str, profile: Profile) -> VerifiedUser {
    VerifiedUser { email: Email::parse(email).expect("an address"), profile }
}

fn somebody(domain: &str) -> VerifiedUser {
    verified(&format!("{}@{domain}", unique("verified")), Profile::default())
}

fn zoe() -> Profile {
    Profile {
        name: Some("Zo\u{eb} M\u{fc}ller".to_owned()),
        given_name: Some("Zo\u{eb}".to_owned()),
        family_name: Some("M\u{fc}ller".to_owned()),
        picture: Some("https://pictures.example/zoe.png?s=96".to_owned()),
        hosted_domain: Some("example.org".to_owned()),
    }
}

/// The profile fields of getUser.
fn shown(server: &Server, email: &Email) -> Value {
    let user = server.client(email.as_str()).get("/v5/user").ok();
    let fields = ["name", "fullName", "givenName", "familyName", "avatarUrl", "hostedDomain"];
    fields.iter().map(|field| user[field].clone()).collect()
}

fn is_refused(outcome: &Result<User, Error>, what: &str) {
    let refused = outcome.as_ref().err().and_then(Error::reason).map(|reason| reason.as_str());
    assert_eq!(refused, Some("notAdmitted"), "{what}: {outcome:?}");
}

/// The addresses of an inviter's mailbox share one limit. Known users do not count, and the
/// response to the owner is always the same.
fn rule_11_11_newcomers_by_sharing_are_bounded(server: &Server) {
    let provider = Provider::beside(server);
    let cast = Cast::new(server);
    let own = cast.owner.email().replace('@', "+other@");
    let other = server.client(&own);
    let book = other.post("/v5/books", &json!({"name": "Other"})).ok();
    let path = format!("/v5/books/{}/collaborators", book["id"].as_str().expect("an id"));
    let guests: Vec<VerifiedUser> = (0..12).map(|_| somebody("guests.example")).collect();
    for (number, guest) in guests.iter().enumerate() {
        let body = json!({"email": guest.email.as_str(), "permission": "VIEWER"});
        if number % 2 == 0 {
            cast.share(guest.email.as_str(), "VIEWER");
        } else {
            other.post(&path, &body).ok();
        }
    }
    for guest in &guests[..10] {
        provider.sign_in(guest, &[]).expect("a newcomer of today");
        provider.sign_in(guest, &[]).expect("a user");
    }
    let refused = provider.sign_in(&guests[10], &[]);
    is_refused(&refused, "11.11: ten a day");
    assert!(refused.expect_err("refused").to_string().contains("tomorrow"));
    assert!(!provider.known(&guests[10].email), "nothing is kept");
    // The operator, another inviter, and the next day.
    provider.sign_in(&guests[10], &[guests[10].email.as_str()]).expect("named by the operator");
    is_refused(&provider.sign_in(&guests[11], &[]), "at each of both addresses");
    let tomorrow = Instant::new(NOW.milliseconds() + 86_400_000);
    let late = somebody("guests.example");
    cast.share(late.email.as_str(), "VIEWER");
    provider.sign_in_at(&late, Admission::default(), tomorrow).expect("another day");
    let friend = Cast::new(server);
    friend.share(guests[11].email.as_str(), "VIEWER");
    provider.sign_in(&guests[11], &[]).expect("by another inviter");
}

fn rule_11_11_newcomers_cannot_invite_on_their_first_day(server: &Server) {
    let provider = Provider::beside(server);
    let cast = Cast::new(server);
    let [newcomer, next] = [somebody("guests.example"), somebody("guests.example")];
    cast.share(newcomer.email.as_str(), "VIEWER");
    provider.sign_in(&newcomer, &[]).expect("a book waits for them");
    let client = server.client(newcomer.email.as_str());
    let book = client.post("/v5/books", &json!({"name": "Chain"})).ok();
    let path = format!("/v5/books/{}/collaborators", book["id"].as_str().expect("an id"));
    client.post(&path, &json!({"email": next.email.as_str(), "permission": "VIEWER"})).ok();
    is_refused(&provider.sign_in(&next, &[]), "by a newcomer");
    let tomorrow = Instant::new(NOW.milliseconds() + 86_400_000);
    provider.sign_in_at(&next, Admission::default(), tomorrow).expect("a user of yesterday");
}

fn rule_11_11_admission_by_sharing_can_be_disabled(server: &Server) {
    let provider = Provider::beside(server);
    let cast = Cast::new(server);
    let guest = somebody("guests.example");
    cast.share(guest.email.as_str(), "VIEWER");
    let named_only = || Admission::default().with_named_only(true);
    is_refused(&provider.sign_in_at(&guest, named_only(), NOW), "a book waits for them");
    let entry = guest.email.as_str().parse::<Admitted>().expect("an entry");
    let named = [entry].into_iter().collect::<Admission>().with_named_only(true);
    provider.sign_in_at(&guest, named, NOW).expect("named");
    let client = server.client(guest.email.as_str());
    assert_eq!(client.get(&cast.path("")).ok()["permission"], "VIEWER", "7.5: it waited");
}

fn claims_replace_profile_fields(server: &Server) {
    // A separate server: any case that changes a user would be counted.
    let server = &Server::start(server.engine());
    let provider = Provider::beside(server);
    let who = somebody("example.org");
    let before = provider.sign_in(&who, &["@example.org"]).expect("admitted");
    let username = who.email.local();
    let nothing = json!([username, username, username, null, "", null]);
    assert_eq!(shown(server, &who.email), nothing);
    let remembered = server.client(who.email.as_str());
    remembered.get("/v5/user").ok();
    let count = provider.changes();
    let told = VerifiedUser { profile: zoe(), ..who.clone() };
    assert_eq!(provider.find(&told), None, "there is something to write");
    let after = provider.sign_in(&told, &[]).expect("a user");
    assert_eq!((after.id, &after.username, &after.profile), (before.id, &before.username, &zoe()));
    let shown = remembered.get("/v5/user").ok();
    assert_eq!(shown["familyName"].as_str(), zoe().family_name.as_deref(), "also to this token");
    assert_eq!(provider.changes(), count, "tokens with different names change nothing");
    let parts = Profile {
        given_name: Some("Zo".to_owned()),
        family_name: Some("Schmidt".to_owned()),
        ..Profile::default()
    };
    provider.sign_in(&VerifiedUser { profile: parts, ..who.clone() }, &[]).expect("a user");
    let user = provider.find(&who).expect("claims that are absent change nothing");
    assert_eq!(user.profile.name, zoe().name, "9.11: what is absent stays");
    assert_eq!(user.profile.family_name.as_deref(), Some("Schmidt"));
    assert_eq!(user.profile.picture, zoe().picture);
}

fn an_unchanged_profile_writes_nothing(server: &Server) {
    let provider = Provider::beside(server);
    let who = VerifiedUser { profile: zoe(), ..somebody("example.org") };
    let user = provider.sign_in(&who, &["@example.org"]).expect("admitted");
    assert_eq!(provider.find(&who), Some(user.clone()));
    assert_eq!(provider.sign_in(&who, &[]).expect("a user"), user);
    let silent = VerifiedUser { profile: Profile::default(), ..who };
    assert_eq!(provider.find(&silent), Some(user));
}

fn invalid_claims_are_ignored(server: &Server) {
    let provider = Provider::beside(server);
    let claims = Profile {
        name: Some("Zo\0e".to_owned()),
        given_name: Some("n".repeat(256)),
        family_name: Some(" M\u{fc}ller ".to_owned()),
        picture: Some("javascript:alert(1)".to_owned()),
        hosted_domain: Some("no domain".to_owned()),
    };
    let who = VerifiedUser { profile: claims, ..somebody("example.org") };
    let user = provider.sign_in(&who, &["@example.org"]).expect("admitted");
    let family = Some("M\u{fc}ller".to_owned());
    assert_eq!(user.profile, Profile { family_name: family, ..Profile::default() });
    assert_eq!(provider.find(&who), Some(user), "it is left out each time");
    let name = "M\u{fc}ller";
    let username = who.email.local();
    assert_eq!(shown(server, &who.email), json!([name, name, username, name, "", null]));
}
