//! The formats of the cells.

use std::collections::HashMap;

use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder};

use crate::look::Look;

/// The look of a cell in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Content {
    /// A text, indented by so many steps.
    Text(u8),
    Date,
    Instant,
    /// An amount with so many decimals.
    Amount(usize),
    /// An amount of too many digits.
    LongAmount,
    Percent,
    Number,
}

/// The formats in use, each made once.
#[derive(Debug, Default)]
pub(super) struct Formats {
    made: HashMap<(Look, Content), Format>,
}

impl Formats {
    pub(super) fn get(&mut self, look: Look, content: Content) -> &Format {
        self.made.entry((look, content)).or_insert_with(|| make(look, content))
    }
}

/// Returns the format of the name of a book and of other titles of a sheet.
pub(super) fn title() -> Format {
    Format::new().set_bold().set_font_size(14)
}

/// Returns the format of lines below the title.
pub(super) fn subtitle() -> Format {
    Format::new().set_font_color(GREY)
}

/// Returns the format of a control that does not hold.
pub(super) fn alarm() -> Format {
    Format::new().set_bold().set_font_color(Color::Red)
}

/// Returns the format of the label of a fact.
pub(super) fn label() -> Format {
    Format::new().set_bold().set_align(FormatAlign::Top)
}

/// Returns the format of the label of a column, aligned like its cells.
pub(super) fn header(align: FormatAlign) -> Format {
    Format::new()
        .set_bold()
        .set_text_wrap()
        .set_align(align)
        .set_align(FormatAlign::Bottom)
        .set_border_bottom(FormatBorder::Thin)
}

/// Returns the format of a label above several columns.
pub(super) fn over() -> Format {
    Format::new().set_bold().set_align(FormatAlign::Center).set_border_bottom(FormatBorder::Hair)
}

const GREY: Color = Color::RGB(0x0059_5959);

fn make(look: Look, content: Content) -> Format {
    let format = match content {
        // Entries have descriptions of any length.
        Content::Text(_) if look == Look::Entry => {
            Format::new().set_text_wrap().set_align(FormatAlign::Top)
        }
        Content::Text(indent) => Format::new().set_indent(indent),
        Content::Date => Format::new().set_num_format("yyyy-mm-dd").set_align(FormatAlign::Left),
        Content::Instant => {
            Format::new().set_num_format("yyyy-mm-dd hh:mm:ss").set_align(FormatAlign::Left)
        }
        Content::Amount(decimals) => Format::new().set_num_format(amount_format(decimals)),
        Content::LongAmount => Format::new().set_align(FormatAlign::Right),
        Content::Percent => Format::new().set_num_format("0.0%;[Red]-0.0%"),
        Content::Number => Format::new().set_num_format("#,##0"),
    };
    let is_figure = !matches!(content, Content::Text(_));
    match look {
        Look::Section => format.set_bold().set_font_size(12),
        Look::Group => format.set_bold(),
        Look::Line => format,
        Look::Entry => format.set_align(FormatAlign::Top),
        Look::Balance => format.set_italic(),
        Look::Subtotal | Look::Total if is_figure => {
            format.set_bold().set_border_top(FormatBorder::Thin)
        }
        Look::GrandTotal if is_figure => {
            let ruled = format.set_bold().set_border_top(FormatBorder::Thin);
            ruled.set_border_bottom(FormatBorder::Double)
        }
        Look::Subtotal | Look::Total | Look::GrandTotal => format.set_bold(),
    }
}

/// Returns the number format of an amount, such as `#,##0.00;[Red]-#,##0.00`.
pub(super) fn amount_format(decimals: usize) -> String {
    let positive = match decimals {
        0 => "#,##0".to_owned(),
        _ => format!("#,##0.{}", "0".repeat(decimals)),
    };
    format!("{positive};[Red]-{positive}")
}
