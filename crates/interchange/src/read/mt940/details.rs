//! Texts for the account owner (`:86:`) in the notations that banks use.

use super::line::stated;
use crate::read::text::collapse;

/// The fields of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Details {
    pub(crate) description: Option<String>,
    pub(crate) payee: Option<String>,
    pub(crate) counterparty: Option<String>,
    pub(crate) reference: Option<String>,
    /// The kind of transaction, as the bank names it.
    pub(crate) kind: Option<String>,
}

/// Parses a text: `166?00...`, `/NAME/...`, or words.
pub(crate) fn parse(text: &str) -> Details {
    let code = text.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
    let rest = code.and_then(|_| text.get(3..)).unwrap_or(text);
    let mark = rest.chars().next().filter(char::is_ascii_punctuation);
    let is_key = |piece: &str| {
        piece.get(..2).is_some_and(|key| key.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match mark {
        Some(mark) if code.is_some() && rest.split(mark).skip(1).all(is_key) => {
            numbered(rest, mark)
        }
        Some('?') if rest.split('?').skip(1).all(is_key) => numbered(rest, '?'),
        Some('/') => named(text),
        Some(_) | None => Details { description: stated(&collapse(text)), ..Details::default() },
    }
}

/// The width of a line of a numbered field; a full one goes on without a blank.
const LINE_WIDTH: usize = 27;

/// Parses `?00text?20purpose?32name`.
fn numbered(text: &str, mark: char) -> Details {
    let text = text.replace(['\r', '\n'], "");
    let (mut purpose, mut name, mut details) = (Vec::new(), Vec::new(), Details::default());
    for piece in text.split(mark).skip(1) {
        let Some((key, value)) = piece.split_at_checked(2) else { continue };
        match key.parse::<u8>().unwrap_or_default() {
            0 => details.kind = stated(value),
            20..=29 | 60..=63 => purpose.push(value),
            31 => details.counterparty = stated(value),
            32 | 33 => name.push(value),
            _ => {}
        }
    }
    details.payee = stated(&join(&name));
    let purpose = join(&purpose);
    let (description, reference) = sepa(&purpose);
    details.description = stated(description);
    details.reference = reference.and_then(stated);
    details
}

fn join(pieces: &[&str]) -> String {
    let mut joined = String::new();
    let mut is_full = true;
    for piece in pieces {
        if !is_full {
            joined.push(' ');
        }
        joined.push_str(piece);
        is_full = piece.chars().count() == LINE_WIDTH;
    }
    joined
}

/// Splits `EREF+id SVWZ+text` into the text and the reference of the payer.
fn sepa(purpose: &str) -> (&str, Option<&str>) {
    const KEYS: [&str; 9] =
        ["EREF+", "KREF+", "MREF+", "CRED+", "DEBT+", "SVWZ+", "ABWA+", "ABWE+", "PURP+"];
    let value = |key: &str| {
        let (_, after) = purpose.split_once(key)?;
        let ends = KEYS.iter().filter_map(|key| after.find(key));
        after.get(..ends.min().unwrap_or(after.len()))
    };
    (value("SVWZ+").unwrap_or(purpose), value("EREF+"))
}

/// Parses `/NAME/text/REMI/text`.
fn named(text: &str) -> Details {
    const KEYS: [&str; 22] = [
        "NAME", "IBAN", "BIC", "REMI", "EREF", "TRTP", "CNTP", "MARF", "CSID", "ORDP", "BENM",
        "ACCW", "PREF", "RTRN", "ISDT", "TRCD", "PURP", "SVCL", "ULTC", "ULTD", "ID", "ADDR",
    ];
    let text = text.replace(['\r', '\n'], "");
    let mut details = Details::default();
    let (mut key, mut value) = ("", String::new());
    // The empty piece at the end completes the last value.
    for piece in text.split('/').chain(std::iter::once("NAME")) {
        if !KEYS.contains(&piece) {
            if !value.is_empty() {
                value.push('/');
            }
            value.push_str(piece);
            continue;
        }
        details.set(key, &value);
        key = piece;
        value.clear();
    }
    details
}

impl Details {
    fn set(&mut self, key: &str, value: &str) {
        let value = value.trim_matches('/');
        match key {
            "NAME" => self.payee = self.payee.take().or_else(|| stated(value)),
            "IBAN" => self.counterparty = stated(value),
            "REMI" => {
                let text = value.strip_prefix("USTD//").unwrap_or(value);
                self.description = stated(text.strip_prefix("STRD/CUR/").unwrap_or(text));
            }
            "EREF" => self.reference = stated(value),
            "TRTP" => self.kind = stated(value),
            "CNTP" => {
                let mut parts = value.split('/');
                self.counterparty = parts.next().and_then(stated);
                self.payee = parts.nth(1).and_then(stated);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_fields_are_joined() {
        let text = "166?00LASTSCHRIFT?10931?20EREF+R-1?21SVWZ+Miete Januar 2026 Wohn\n?22ung 5\
                    ?23Haus 2?30BANK?31DE02?32Vermieter &?33Co. KG";
        let details = parse(text);
        assert_eq!(details.kind.as_deref(), Some("LASTSCHRIFT"));
        assert_eq!(details.reference.as_deref(), Some("R-1"));
        assert_eq!(details.description.as_deref(), Some("Miete Januar 2026 Wohnung 5 Haus 2"));
        assert_eq!(details.payee.as_deref(), Some("Vermieter & Co. KG"));
        assert_eq!(details.counterparty.as_deref(), Some("DE02"));
    }

    #[test]
    fn named_fields_and_words_are_parsed() {
        let details = parse(
            "/TRTP/SEPA OVERBOEKING/IBAN/NL01/BIC/X/NAME/A/B Shop/REMI/Order 1/2/EREF/NOTPROVIDED",
        );
        assert_eq!(details.payee.as_deref(), Some("A/B Shop"));
        assert_eq!(details.description.as_deref(), Some("Order 1/2"));
        assert_eq!((details.counterparty.as_deref(), details.reference), (Some("NL01"), None));
        let details = parse("/CNTP/NL02/BANKNL2A/Shop/City//REMI/USTD//text/");
        assert_eq!(details.payee.as_deref(), Some("Shop"));
        assert_eq!(details.description.as_deref(), Some("text"));
        let details = parse("Shop 12\r\n  Oslo? yes");
        assert_eq!(details.description.as_deref(), Some("Shop 12 Oslo? yes"));
        assert_eq!(parse(""), Details::default());
    }
}
