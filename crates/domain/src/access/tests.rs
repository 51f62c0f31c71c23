//! Tests of access to PUBLIC and PRIVATE books (behaviour 7.3).

use super::*;
use crate::book::{Changes, Settings};
use crate::file::FileSecret;
use crate::id::{BookId, BookKey};
use crate::instant::{Instant, Stamp};

const READS: [Action; 6] = [
    Action::ReadBook,
    Action::ReadTransactions,
    Action::ReadFiles,
    Action::ReadChart,
    Action::ReadEvents,
    Action::CopyBook,
];
const WRITES: [Action; 16] = [
    Action::RecordDraft,
    Action::EditDraft,
    Action::Post,
    Action::Check,
    Action::WriteChart,
    Action::UpdateBook,
    Action::AdvanceDates,
    Action::ReopenDates,
    Action::WriteLockedGroups,
    Action::DeleteBook,
    Action::TransferBook,
    Action::ChangeVisibility,
    Action::ManageCollaborators,
    Action::WriteSavedQueries,
    Action::WriteIntegrations,
    Action::CopyTransactions,
];
const ME: UserId = UserId::new(7);
const OTHER: UserId = UserId::new(8);

fn access(visibility: Visibility, granted: Option<Permission>) -> Access {
    let changes = Changes { name: Some("Book".to_owned()), ..Changes::default() };
    let settings = Settings { visibility, ..Settings::create(changes).unwrap() };
    let (key, stamp) = (BookKey::new("k".to_owned()), Stamp::new(None, Instant::new(0)));
    let file_secret = FileSecret::default();
    let book = Book {
        id: BookId::new(1),
        key,
        owner_name: "a".to_owned(),
        settings,
        scale: 2,
        file_secret,
        stamp,
    };
    Access::identify(book, granted, ME)
}

#[test]
fn collaborators_read_public_books_like_the_public() {
    let public = access(Visibility::Public, None);
    for permission in [
        Permission::Owner,
        Permission::Editor,
        Permission::Poster,
        Permission::Recorder,
        Permission::Viewer,
    ] {
        let member = access(Visibility::Public, Some(permission));
        for action in READS {
            assert!(public.may(action), "{action:?}");
            assert!(member.may(action), "{permission:?} {action:?}");
            assert_eq!(member.restricted_to(action), None);
        }
        assert!(member.sees(OTHER, true) && member.may_touch(Action::ReadFiles, OTHER));
        assert!(member.may(Action::ListCollaborators), "{permission:?}");
        assert_eq!(member.permission(), permission);
    }
    assert_eq!(
        public.require(Action::ListCollaborators),
        Err(Refusal::NotEnough("VIEWER")),
        "the list of collaborators is not public"
    );
}

#[test]
fn visibility_does_not_affect_writing() {
    for permission in Permission::ALL {
        let private = access(Visibility::Private, Some(permission));
        let public = access(Visibility::Public, Some(permission));
        for action in WRITES {
            assert_eq!(
                public.require(action),
                private.require(action),
                "{permission:?} {action:?}"
            );
            for creator in [ME, OTHER] {
                assert_eq!(public.may_touch(action, creator), private.may_touch(action, creator));
            }
        }
    }
    let stranger = access(Visibility::Public, None);
    assert!(WRITES.into_iter().all(|action| stranger.require(action).is_err()));
}

#[test]
fn private_book_follows_the_matrix() {
    let recorder = access(Visibility::Private, Some(Permission::Recorder));
    assert!(recorder.sees(ME, false) && !recorder.sees(ME, true) && !recorder.sees(OTHER, false));
    assert!(recorder.require(Action::ListCollaborators).is_err());
    assert!(recorder.require(Action::CopyBook).is_err());
    let stranger = access(Visibility::Private, None);
    for action in READS.into_iter().chain(WRITES).chain([Action::ListCollaborators]) {
        assert_eq!(stranger.require(action), Err(Refusal::BookNotFound), "{action:?}");
    }
}
