//! Tests of the page.

use daybook_domain::report::Cell;

use super::*;
use crate::fixture;

fn text(report: &Report) -> String {
    String::from_utf8(write(report, DecimalSeparator::Dot)).expect("UTF-8")
}

/// Returns the page without the part of the style that is a file of its own.
fn without_style(page: &str) -> String {
    page.replace(include_str!("style.css"), "")
}

#[test]
fn report_is_written_as_html() {
    let written = without_style(&text(&fixture::balance_sheet()));
    assert_eq!(written, include_str!("../golden/balance-sheet.html").trim_end(), "{written}");
}

#[test]
fn each_account_of_a_general_ledger_is_a_table() {
    let report = fixture::general_ledger();
    let written = without_style(&text(&report));
    assert_eq!(written.matches("<table class=\"entries accounts\">").count(), 2, "{written}");
    assert_eq!(written.matches("</table>").count(), 2);
    for account in ["Bank", "Rent"] {
        let title =
            format!("<thead><tr class=\"section\"><th colspan=\"6\">{account}</th></tr><tr><th");
        assert!(written.contains(&title), "{written}");
    }
}

/// Names and texts of users stand in elements, in attributes' neighbourhood and in the style.
#[test]
fn texts_are_escaped_everywhere() {
    let evil = "</style><script>alert(\"1\")</script>\\22 '&amp;\n}";
    let mut report = fixture::balance_sheet();
    report.heading.book_name = evil.to_owned();
    report.heading.title = evil.to_owned();
    report.heading.period = evil.to_owned();
    report.heading.currency = Some(evil.to_owned());
    report.heading.filters = vec![evil.to_owned()];
    report.heading.notes = vec![evil.to_owned()];
    report.controls[0].label = evil.to_owned();
    for column in &mut report.columns {
        evil.clone_into(&mut column.label);
        column.over = Some(evil.to_owned());
    }
    for row in &mut report.rows {
        row.cells[0] = Cell::Text(evil.to_owned());
    }
    let written = text(&report);
    assert!(!written.contains("<script"), "{written}");
    assert_eq!(written.matches("</style>").count(), 1);
    assert!(!written.contains("&amp;\n}\""), "a line ends within a string of the style");
    let style = style(&report.heading, &report.columns);
    assert!(written.contains(&format!("<style>{style}</style>")));
    assert!(style.contains(
        r#"@top-right{content:"\3c /style\3e \3c script\3e alert(\22 1\22 )\3c /script\3e "#
    ));
}

#[test]
fn figures_follow_the_separator_of_the_book() {
    let page = write(&fixture::balance_sheet(), DecimalSeparator::Comma);
    let written = String::from_utf8(page).expect("UTF-8");
    let figure = ["<td class=\"figure negative\">(", "3.000,50)</td>"].concat();
    assert!(written.contains(&figure), "{written}");
}

#[test]
fn wide_reports_have_wide_pages() {
    let Report { heading, mut columns, .. } = fixture::balance_sheet();
    let amount = columns[1].clone();
    let mut size = |count: usize| {
        columns.resize(count, amount.clone());
        let style = style(&heading, &columns);
        style
            .rsplit("@page{size:")
            .next()
            .and_then(|rest| rest.split(';').next().map(str::to_owned))
    };
    assert_eq!(size(5).as_deref(), Some("portrait"));
    assert_eq!(size(9).as_deref(), Some("landscape"));
    assert_eq!(size(11).as_deref(), Some("landscape"));
    assert_eq!(size(61).as_deref(), Some("1214mm 858mm"));
}

#[test]
fn report_without_rows_says_so() {
    let mut report = fixture::balance_sheet();
    report.rows.clear();
    let written = text(&report);
    assert!(written.contains("<tbody>\n</tbody></table>\n<p class=\"none\">There is nothing to"));
}

#[test]
fn control_that_fails_is_marked() {
    let mut report = fixture::balance_sheet();
    report.controls[0].left += 100;
    let written = text(&report);
    let expected = "<p class=\"fails\">\u{2717} Assets = liabilities + equity: 12,501.00 \u{2260} \
                    12,500.00 (difference 1.00)</p>";
    assert!(written.contains(expected), "{written}");
}
