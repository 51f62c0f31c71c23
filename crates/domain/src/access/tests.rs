//! Tests of access to PUBLIC and PRIVATE books (behaviour 7.3).

use super::*;
use crate::book::Changes;
use crate::fixture::book;

const READS: [Action; 6] = [
    Action::ReadBook,
    Action::ReadTransactions,
    Action::ReadFiles,
    Action::ReadChart,
    Action::ReadEvents,
    Action::CopyBook,
];
const WRITES: [Action; 17] = [
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
    Action::DeleteComment,
];
const ME: UserId = UserId::new(7);
const OTHER: UserId = UserId::new(8);

fn access(visibility: Visibility, granted: Option<Permission>) -> Access {
    let book = book(Changes { visibility: Some(visibility), ..Changes::default() });
    Access::identify(book, granted, ME)
}

#[test]
fn collaborators_read_public_books_like_the_public() {
    let public = access(Visibility::Public, None);
    for permission in Permission::ALL.into_iter().filter(|one| *one != Permission::None) {
        let member = access(Visibility::Public, Some(permission));
        for action in READS {
            assert!(public.may(action), "{action:?}");
            assert!(member.may(action), "{permission:?} {action:?}");
            assert_eq!(member.restricted_to(action), None);
        }
        assert!(member.sees(OTHER, true) && member.may_touch(Action::ReadFiles, OTHER));
        assert!(member.may(Action::ListCollaborators), "{permission:?}");
        assert!(member.may(Action::Comment) && member.shows_comments(), "{permission:?}");
        assert_eq!(member.permission(), permission);
    }
    for action in [Action::ListCollaborators, Action::Comment, Action::DeleteComment] {
        let refused = Err(Refusal::NotEnough("VIEWER"));
        assert_eq!(public.require(action), refused, "{action:?} is not public");
    }
    assert!(!public.shows_comments());
}

#[test]
fn visibility_does_not_affect_writing() {
    for permission in Permission::ALL {
        let private = access(Visibility::Private, Some(permission));
        let public = access(Visibility::Public, Some(permission));
        for action in WRITES {
            let required = [&public, &private].map(|access| access.require(action));
            assert_eq!(required[0], required[1], "{permission:?} {action:?}");
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
    assert!(recorder.shows_comments() && !recorder.may_touch(Action::Comment, OTHER));
    assert!(recorder.require(Action::CopyBook).is_err());
    let stranger = access(Visibility::Private, None);
    for action in READS.into_iter().chain(WRITES).chain([Action::ListCollaborators]) {
        assert_eq!(stranger.require(action), Err(Refusal::BookNotFound), "{action:?}");
    }
}
