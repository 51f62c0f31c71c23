//! Query plans of deliveries: the polling statements and the delivery log must use an index.

use daybook_domain::app::AppId;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_service::delivery::{InFlight, SlotHolder};
use daybook_service::{Error, access};
use daybook_storage::delivery::log::AttemptPlace;
use daybook_storage::event::EventFilter;
use daybook_tests::Engine;

use crate::Case;
use crate::log_plans::page_steps;
use crate::plans::{NOW, check, shelf, sorts};
use crate::reading::Faults;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        delivery_log_uses_an_index,
        due_queues_use_an_index,
        events_with_errors_use_an_index
    ]
}

/// 12.13: a page of the log of an app is one index range.
fn delivery_log_uses_an_index(engine: Engine) {
    let inside = shelf(engine);
    let mut faults = Faults::default();
    for app in ["bot", "other", "third", "last"] {
        inside.execute(&[&format!(
            "INSERT INTO delivery_attempts \
             (book_id, sequence, app_id, attempt, at, milliseconds) \
             SELECT book_id, sequence, '{app}', 1, sequence, 0 FROM events"
        )]);
    }
    inside.execute(&["ANALYZE"]);
    let way = [
        "SEARCH delivery_attempts USING INDEX delivery_attempts_app (book_id=? AND app_id=?",
        "Index Scan Backward using delivery_attempts_app on delivery_attempts",
    ];
    let app = AppId::stored("other".to_owned());
    let place = AttemptPlace { at: Instant::new(700), sequence: 700, number: 1 };
    for after in [None, Some(place)] {
        let steps = inside
            .store
            .read(|tx| {
                let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents)?;
                Ok::<_, Error>(tx.plans().attempts_of_app(&member, &app, after, 51)?)
            })
            .expect("a plan");
        check(&mut faults, engine, "attempts of an app", way, 1, &steps);
        let few = steps.iter().all(|step| {
            !["TEMP B-TREE", "Sort Key", "Filter"].iter().any(|word| step.contains(word))
        });
        faults.check(few, || format!("reads more than a page:\n      {}", steps.join("\n      ")));
    }
    faults.none();
}

/// 8.9, 8.19: the search for due queues skips paused ones, and that for overdue queues skips empty
/// ones.
fn due_queues_use_an_index(engine: Engine) {
    let inside = shelf(engine);
    let mut faults = Faults::default();
    let queues = |app: &str, due: &str, paused: &str| {
        inside.execute(&[&format!(
            "INSERT INTO delivery_queues (book_id, app_id, due_at, paused_at) \
             SELECT book_id, '{app}' || sequence, {due}, {paused} FROM events"
        )]);
    };
    queues("rests", "NULL", "sequence");
    queues("waits", "1", "sequence");
    queues("idle", "NULL", "NULL");
    inside.execute(&[
        "INSERT INTO deliveries (book_id, app_id, sequence, depth) \
         SELECT book_id, app_id, 1, 0 FROM delivery_queues WHERE due_at IS NOT NULL",
        "INSERT INTO integrations \
         (book_id, id, app_id, installer_id, name, created_at, updated_at, version) \
         SELECT book_id, sequence, 'waits' || sequence, 7, '', 0, 0, 1 FROM events",
        "ANALYZE",
    ]);
    // An app and its installing user have all their slots.
    let mut full = InFlight::new(64, 8);
    let slot =
        SlotHolder { app: AppId::stored("busy".to_owned()), installer: Some(inside.cx.user.id) };
    (0..32).for_each(|_| full.enter(&slot));
    let steps = |in_flight: Option<&InFlight>| {
        let plan = inside.store.read(|tx| {
            Ok::<_, Error>(match in_flight {
                None => tx.plans().overdue_deliveries(NOW, 1_000)?,
                Some(in_flight) => tx.plans().due_deliveries(NOW, in_flight)?,
            })
        });
        plan.expect("a plan")
    };
    let [free, full] = [InFlight::new(64, 8), full].map(|in_flight| steps(Some(&in_flight)));
    let due = ["SEARCH q USING INDEX delivery_queues_due (due_at<?)", "using delivery_queues_due"];
    check(&mut faults, engine, "what is due", due, 1, &free);
    check(&mut faults, engine, "what is due for others", due, 1, &full);
    let overdue = ["INDEX delivery_queues_overdue (paused_at", "using delivery_queues_overdue"];
    check(&mut faults, engine, "what is overdue", overdue, 1, &steps(None));
    for steps in [free, full, steps(None)] {
        let passes = steps.iter().any(|step| {
            [
                "Seq Scan on deliver",
                "Seq Scan on integrations",
                "SCAN q",
                "SCAN d",
                "SCAN i",
                "SCAN f",
            ]
            .iter()
            .any(|scan| step.contains(scan))
        });
        faults.check(!passes, || format!("passes a table:\n      {}", steps.join("\n      ")));
    }
    faults.none();
}

/// 8.5: a page of events with errors reads only that many errors.
fn events_with_errors_use_an_index(engine: Engine) {
    let inside = shelf(engine);
    inside.execute(&[
        "INSERT INTO bot_responses (book_id, sequence, app_id, kind, message, created_at) \
         SELECT book_id, sequence, 'other', 'ERROR', 'no', 0 FROM events WHERE sequence % 3 = 0",
        "INSERT INTO bot_responses (book_id, sequence, app_id, kind, message, created_at) \
         SELECT book_id, sequence, 'third', 'INFO', 'yes', 0 FROM events",
        "ANALYZE",
    ]);
    let mut faults = Faults::default();
    let filter = EventFilter { error: Some(true), ..EventFilter::default() };
    let way = [
        "SEARCH r USING COVERING INDEX bot_responses_kind (book_id=? AND kind=?",
        "Backward using bot_responses_kind on bot_responses r",
    ];
    for below in [None, Some(4_000)] {
        let filter = EventFilter { below, ..filter.clone() };
        let steps = page_steps(&inside, &filter);
        check(&mut faults, engine, "errors", way, 1, &steps);
        // One sort of the page is allowed; its source must be ordered.
        let sorts = sorts(&steps);
        let hashes = steps.iter().any(|step| step.contains("Hash"));
        faults.check(sorts <= 1 && !hashes, || {
            format!("more than a page is read:\n      {}", steps.join("\n      "))
        });
    }
    faults.none();
}
