//! The end of the validity of an X.509 certificate, read from its DER encoding (RFC 5280, 4.1).

use time::{Date, Month, PrimitiveDateTime, Time};

/// The tags of the encoding that lead to the validity.
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// Returns the end of the validity in seconds since 1970, or `None` for other bytes.
pub(super) fn end_of_validity(certificate: &[u8]) -> Option<i64> {
    let (certificate, _) = element(certificate, SEQUENCE)?;
    let (mut fields, _) = element(certificate, SEQUENCE)?;
    if let Some((_, rest)) = element(fields, VERSION) {
        fields = rest;
    }
    // The serial number, the algorithm of the signature and the issuer.
    for _ in 0..3 {
        (_, fields) = any_element(fields)?;
    }
    let (validity, _) = element(fields, SEQUENCE)?;
    let (_, end) = any_element(validity)?;
    match *end.first()? {
        UTC_TIME => {
            let (text, _) = element(end, UTC_TIME)?;
            let (year, rest) = text.split_at_checked(2)?;
            let year = number(year)?;
            // RFC 5280, 4.1.2.5.1.
            seconds(
                if year < 50 { year.checked_add(2_000)? } else { year.checked_add(1_900)? },
                rest,
            )
        }
        GENERALIZED_TIME => {
            let (text, _) = element(end, GENERALIZED_TIME)?;
            let (year, rest) = text.split_at_checked(4)?;
            seconds(number(year)?, rest)
        }
        _ => None,
    }
}

/// Splits the content of the first element from the rest, if it has this tag.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    if bytes.first() == Some(&tag) { any_element(bytes) } else { None }
}

/// Splits the content of the first element from the rest.
fn any_element(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        let shift = |sum: usize, byte: &u8| sum.checked_mul(256)?.checked_add(usize::from(*byte));
        (length.iter().try_fold(0, shift)?, rest)
    };
    rest.split_at_checked(length)
}

/// Returns the instant of a year and `MMDDhhmmssZ`.
fn seconds(year: i32, rest: &[u8]) -> Option<i64> {
    let part = |from: usize| number(rest.get(from..from.checked_add(2)?)?);
    let byte = |from: usize| u8::try_from(part(from)?).ok();
    let date = Date::from_calendar_date(year, Month::try_from(byte(0)?).ok()?, byte(2)?).ok()?;
    let time = Time::from_hms(byte(4)?, byte(6)?, byte(8)?).ok()?;
    Some(PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp())
}

fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let mut all = vec![tag];
        if length < 0x80 {
            all.push(u8::try_from(length).unwrap());
        } else {
            all.extend([
                0x82,
                u8::try_from(length >> 8).unwrap(),
                u8::try_from(length & 255).unwrap(),
            ]);
        }
        all.extend(content);
        all
    }

    fn certificate(has_version: bool, end: &[u8]) -> Vec<u8> {
        let version = if has_version { wrap(VERSION, &wrap(2, &[2])) } else { Vec::new() };
        let start = wrap(UTC_TIME, b"260101000000Z");
        let validity = wrap(SEQUENCE, &[start, end.to_vec()].concat());
        let issuer = wrap(SEQUENCE, &[7; 300]);
        let fields =
            [version, wrap(2, &[1]), wrap(SEQUENCE, &[]), issuer, validity, wrap(SEQUENCE, &[])];
        wrap(SEQUENCE, &wrap(SEQUENCE, &fields.concat()))
    }

    #[test]
    fn end_of_validity_is_read_in_both_forms() {
        let utc = wrap(UTC_TIME, b"270301120000Z");
        let general = wrap(GENERALIZED_TIME, b"20270301120000Z");
        for end in [&utc, &general] {
            assert_eq!(end_of_validity(&certificate(true, end)), Some(1_803_902_400));
            assert_eq!(end_of_validity(&certificate(false, end)), Some(1_803_902_400));
        }
        let last_century = wrap(UTC_TIME, b"700101000000Z");
        assert_eq!(end_of_validity(&certificate(true, &last_century)), Some(0));
        for end in 0..60 {
            let cut = certificate(true, &utc);
            assert_eq!(end_of_validity(&cut[..end]), None, "cut after {end} bytes");
        }
    }
}
