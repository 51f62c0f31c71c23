//! countTransactions (1.4.3) and countTransactionsPosted (9.8): counts must equal the lists.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, encode};
use serde_json::{Value, json};

use crate::reading::{Faults, batch, find, items};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_1_4_3_count_equals_the_list,
        rule_9_8_counts_by_day_month_and_year,
        rule_9_8_drafts_are_not_counted_as_posted,
        rule_9_8_a_month_is_the_sum_of_its_days,
        rule_9_8_invalid_parameters_are_refused,
        rule_9_8_long_ranges_omit_zeros,
    ]
}

/// Creates transactions in every state around the turn of a year, some without a date.
fn fixture(server: &Server) -> Cast {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.account_in("Cash", "ASSET", &["Assets"]);
    cast.account_in("Bank", "ASSET", &["Assets"]);
    cast.account("Food", "OUTGOING");
    let body = |index: usize, date: &str| {
        let tag = if index.is_multiple_of(2) { "#even" } else { "odd" };
        json!({
            "description": format!("t{index} {tag}"),
            "date": date,
            "amount": format!("{}", index + 1),
            "creditAccount": {"name": if index.is_multiple_of(3) { "Bank" } else { "Cash" }},
            "debitAccount": {"name": "Food"},
            "checked": index.is_multiple_of(4),
            "draft": index.is_multiple_of(5),
        })
    };
    let dates = [
        "2024-12-30",
        "2024-12-31",
        "2025-01-01",
        "2025-01-01",
        "2025-01-31",
        "2025-03-01",
        "2025-03-02",
        "2026-01-01",
        "",
    ];
    let dated = dates.into_iter().cycle().take(45).enumerate();
    let bodies = batch(dated.map(|(index, date)| body(index, date)));
    let made = cast.post("/transactions/batch", &bodies).ok();
    // Trash every fourth: postings, checked ones, drafts and undated ones.
    let gone: Vec<Value> =
        items(&made).iter().step_by(4).map(|made| json!({"id": made["id"]})).collect();
    cast.patch("/transactions/trash/batch?trashChecked=true", &batch(gone)).no_content();
    cast
}

fn total(cast: &Cast, query: &str) -> Value {
    cast.read(&format!("/transactions/count?query={}", encode(query)))
}

fn rule_1_4_3_count_equals_the_list(server: &Server) {
    let cast = fixture(server);
    let mut faults = Faults::default();
    for query in [
        "",
        "account:Cash",
        "group:Assets is:draft",
        "#even",
        "#even OR amount>40",
        "t1",
        "on:2025-01 is:posted",
        "after:2025 using:postDate",
        "after:2024-12-31 before:2025-03-02 is:posted",
        "after:2026 before:2025",
        "on:9999-12",
        "after:9999-12-15",
        "before:0001-01-01",
        "is:draft",
        "is:trashed OR is:draft",
        "is:posted is:trashed",
        "from:Bank to:Food before:2025-01-31",
        "(account:Cash OR account:Bank) -is:checked",
        "invalid:syntax:query::",
    ] {
        let counted = total(&cast, query);
        let listed = items(&find(&cast, query)).len();
        faults.same(&format!("`{query}`"), &counted["total"], &json!(listed));
    }
    faults.same("no query at all", cast.read("/transactions/count"), json!({"total": 33}));
    let limited = cast.read("/transactions/count?limit=3&cursor=x");
    faults.same("limit and cursor are ignored", limited, json!({"total": 33}));
    let many: Vec<String> = (0..201).map(|number| format!("-w{number}")).collect();
    let most = total(&cast, &many[1..].join(" "));
    faults.same("1.7.1: 200 terms", most, json!({"total": 33}));
    faults.none();
    let path = format!("/transactions/count?query={}", encode(&many.join(" ")));
    let message = cast.get(&path).refused(400, "queryTooLarge");
    assert!(message.contains("201 terms") && message.contains("200"), "1.7.1: {message}");
}

fn counts(cast: &Cast, after: &str, before: &str, periodicity: &str) -> Value {
    cast.read(&format!(
        "/transactions/count/posted?after={after}&before={before}&periodicity={periodicity}"
    ))
}

/// Returns `[(fuzzyDate, total)]` after checking the other fields.
#[track_caller]
fn shown(list: &Value) -> Vec<(i64, i64)> {
    let number = |count: &Value, field: &str| {
        count[field].as_i64().unwrap_or_else(|| panic!("{field}: {count}"))
    };
    let row = |count: &Value| {
        let [year, month, day] = ["year", "month", "day"].map(|field| number(count, field));
        assert_eq!(number(count, "fuzzyDate"), year * 10_000 + month * 100 + day, "5.6: {count}");
        (number(count, "fuzzyDate"), number(count, "total"))
    };
    list.as_array().expect("a list of counts").iter().map(row).collect()
}

fn rule_9_8_counts_by_day_month_and_year(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    for date in ["2024-12-31", "2025-01-01", "2025-01-01", "2025-01-31", "2025-03-01"] {
        cast.record(date, "1", "Cash", "Food", "posted");
    }
    for date in ["2025-01-01", "2025-02-10"] {
        let made = cast.record(date, "1", "Cash", "Food", "thrown");
        cast.patch("/transactions/trash", &json!({"id": made["id"]})).ok();
    }
    let monthly = counts(&cast, "2024-12-01", "2025-05-01", "MONTHLY");
    let posted = [(20241200, 1), (20250100, 3), (20250200, 0), (20250300, 1), (20250400, 0)];
    assert_eq!(shown(&monthly["posted"]), posted);
    let trashed = [(20241200, 0), (20250100, 1), (20250200, 1), (20250300, 0), (20250400, 0)];
    assert_eq!(shown(&monthly["trashed"]), trashed);
    // after includes its day and before does not, also within a month or a year.
    let posted = |after: &str, before: &str, periodicity: &str| {
        shown(&counts(&cast, after, before, periodicity)["posted"])
    };
    assert_eq!(posted("2025-01-01", "2025-01-31", "MONTHLY"), [(20250100, 2)]);
    assert_eq!(posted("2025-01-02", "2025-03-01", "YEARLY"), [(20250000, 1)]);
    let years = [(20240000, 1), (20250000, 4), (20260000, 0)];
    assert_eq!(posted("2024-06-01", "2026-06-01", "YEARLY"), years);
    let days = [(20241230, 0), (20241231, 1), (20250101, 2), (20250102, 0)];
    assert_eq!(posted("2024-12-30", "2025-01-03", "DAILY"), days);
}

fn rule_9_8_drafts_are_not_counted_as_posted(server: &Server) {
    let cast = fixture(server);
    let answer = counts(&cast, "2024-01-01", "2027-01-01", "YEARLY");
    let sum = |list: &str| shown(&answer[list]).iter().map(|(_, total)| total).sum::<i64>();
    let found =
        |query: &str| i64::try_from(items(&find(&cast, query)).len()).expect("a small number");
    assert_eq!(sum("posted"), found("is:posted after:2024 before:2027"), "drafts do not count");
    // Trashed drafts do; undated ones never count.
    assert_eq!(sum("trashed"), found("is:trashed after:2024 before:2027"));
    assert!(found("is:trashed") > sum("trashed") && sum("trashed") > 0 && sum("posted") > 0);
    let empty = Cast::new(server);
    let answer = counts(&empty, "2025-01-01", "2025-03-01", "MONTHLY");
    // Contiguous and zero-filled.
    assert_eq!(answer, json!({"posted": zeros(), "trashed": zeros()}));
}

fn rule_9_8_a_month_is_the_sum_of_its_days(server: &Server) {
    let cast = fixture(server);
    let at = |path: &str| cast.path(&format!("/transactions{path}"));
    let ids = |query: &str| -> Vec<Value> {
        items(&find(&cast, query)).iter().map(|found| json!({"id": found["id"]})).collect()
    };
    let check = |what: &str| {
        let span = ["2024-12-15", "2026-02-02"];
        let [days, months] =
            ["DAILY", "MONTHLY"].map(|slices| counts(&cast, span[0], span[1], slices));
        for list in ["posted", "trashed"] {
            let mut summed: Vec<(i64, i64)> =
                shown(&months[list]).iter().map(|(month, _)| (*month, 0)).collect();
            for (day, total) in shown(&days[list]) {
                let month = summed.iter_mut().find(|(month, _)| *month == day / 100 * 100);
                month.expect("a month of the day").1 += total;
            }
            assert_eq!(shown(&months[list]), summed, "{what}: {list}");
        }
    };
    check("recorded and trashed");
    cast.owner.patch(&at("/untrash/batch"), &batch(ids("is:trashed"))).no_content();
    check("untrashed");
    cast.owner.patch(&at("/post/batch"), &batch(ids("is:draft after:2024"))).no_content();
    check("posted");
    let moved = |mut one: Value| {
        one["date"] = json!("2026-01-20");
        one
    };
    let unchecked = ids("is:unchecked on:2025-01").into_iter().map(moved);
    cast.owner.put(&at("/batch"), &batch(unchecked)).ok();
    check("moved to another month");
    let dateless = |mut one: Value| {
        one["date"] = json!("");
        one
    };
    cast.owner.put(&at("/batch"), &batch(ids("is:draft").into_iter().map(dateless))).ok();
    check("without a date");
}

fn zeros() -> Value {
    json!([
        {"year": 2025, "month": 1, "day": 0, "fuzzyDate": 20250100, "total": 0},
        {"year": 2025, "month": 2, "day": 0, "fuzzyDate": 20250200, "total": 0},
    ])
}

fn rule_9_8_invalid_parameters_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let mut faults = Faults::default();
    for (parameters, named) in [
        ("", "after"),
        ("after=01/01/2025&before=2025-02-01&periodicity=DAILY", "after"),
        ("after=$d&before=2025-02-01&periodicity=DAILY", "after"),
        ("after=2025-01-01&before=2025-02-30&periodicity=DAILY", "before"),
        ("after=2025-01-01&before=2025-02-01", "periodicity"),
        ("after=2025-01-01&before=2025-02-01&periodicity=WEEKLY", "periodicity"),
    ] {
        let answer = cast.get(&format!("/transactions/count/posted?{parameters}"));
        let message = answer.body["error"]["message"].as_str().unwrap_or_default().to_owned();
        faults.check(answer.status == 400 && message.starts_with(named), || {
            format!("{parameters}: {} {message}", answer.status)
        });
        faults.same(parameters, &answer.body["error"]["errors"][0]["reason"], &json!("badRequest"));
    }
    faults.none();
}

fn rule_9_8_long_ranges_omit_zeros(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "1", "Cash", "Food", "posted");
    let none = json!({"posted": [], "trashed": []});
    // 9.8: it ends before it starts.
    assert_eq!(counts(&cast, "2025-02-01", "2025-01-01", "DAILY"), none);
    assert_eq!(counts(&cast, "2025-01-31", "2025-01-31", "DAILY"), none, "9.8: it holds no day");
    let all = counts(&cast, "0001-01-01", "9999-12-31", "DAILY");
    assert_eq!(shown(&all["posted"]), [(20250131, 1)], "9.8: above 36,600 slices without zeros");
    assert_eq!(shown(&all["trashed"]), []);
    assert_eq!(all["truncated"], true, "9.8");
    let filled = counts(&cast, "1950-01-01", "2050-03-17", "DAILY");
    assert_eq!(shown(&filled["posted"]).len(), 36_600);
    assert_eq!(filled["truncated"], Value::Null, "9.8: nothing is left out");
    assert_eq!(shown(&counts(&cast, "0001-01-01", "9999-01-01", "YEARLY")["posted"]).len(), 9_998);
}
