//! The page around the table: its head, its style and its title.

use daybook_domain::report::{Column, Heading};
use maud::{DOCTYPE, PreEscaped, html};

use super::markup::append;
use super::table::characters;
use crate::facts;

/// The part of the style that does not depend on the report.
const STYLE: &str = include_str!("style.css");

/// The characters that fit on a page of A4 in portrait and in landscape at 9 points.
const PORTRAIT: usize = 105;
const LANDSCAPE: usize = 160;

/// The characters that fit in landscape at 7 points.
const SMALL_LANDSCAPE: usize = 210;

/// The font, and the gap between columns, of the two sizes of print.
const LARGE: &str = "font-size:9pt";
const SMALL: &str = "font-size:7pt;--gap:1em";

/// Writes everything before the first table.
pub(super) fn begin(out: &mut Vec<u8>, heading: &Heading, columns: &[Column]) {
    let Heading { book_name, title, period, .. } = heading;
    append(
        out,
        html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\">"))
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) " \u{b7} " (period) " \u{b7} " (book_name) }
                style { (PreEscaped(style(heading, columns))) }
            }
            (PreEscaped("<body><main>"))
            p.alarm.cut { "This page is incomplete: it was cut short or is still loading." }
            p.alarm.wrong { "A control at the end of this report does not hold." }
            header {
                p.book { (book_name) }
                h1 { (title) }
                p.period { (period) }
                dl {
                    @for fact in facts::conditions(heading) {
                        div { dt { (fact.label) } dd { (fact.value) } }
                    }
                }
            }
        },
    );
}

/// Returns the content of the page's only `style` element.
///
/// A Content-Security-Policy that contains its SHA-256 hash allows no other style.
#[must_use]
pub fn style(heading: &Heading, columns: &[Column]) -> String {
    let Heading { book_name, title, period, head, .. } = heading;
    let width: usize = columns.iter().map(characters).sum();
    let (size, font) = if width <= PORTRAIT {
        ("portrait".to_owned(), LARGE)
    } else if width <= LANDSCAPE {
        ("landscape".to_owned(), LARGE)
    } else if width <= SMALL_LANDSCAPE {
        ("landscape".to_owned(), SMALL)
    } else {
        // A page as wide as its table; printers reduce it to their paper.
        let width = width.saturating_mul(297) / SMALL_LANDSCAPE;
        (format!("{width}mm {}mm", width.saturating_mul(210) / 297), SMALL)
    };
    let left = quoted(&format!("{book_name} \u{b7} {title}"));
    let (period, event) = (quoted(period), quoted(&format!("Event {}", head.sequence)));
    format!(
        "{STYLE}@page{{size:{size};@top-left{{content:{left}}}@top-right{{content:{period}}}\
         @bottom-left{{content:{event}}}}}\n@media print{{:root{{{font}}}}}\n"
    )
}

/// Quotes a text as a CSS string that contains neither the end of its element nor of its line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' | '<' | '>' | '&' => {
                quoted.push_str(&format!("\\{:x} ", u32::from(character)))
            }
            control if control.is_control() => quoted.push(' '),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
