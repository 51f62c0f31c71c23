//! Entries and directives of beancount as written, with amounts that may be missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::Date;

use super::cursor::Number;
use crate::read::amount::SignedAmount;
use crate::read::journal::{Entry, Journal, Lot, Posting, Quantity};
use crate::read::packed::Packed;
use crate::read::problem::Position;

/// The contents of a file, in its order.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Accounts, commodities, prices, refused lines and warnings.
    pub(crate) journal: Journal,
    pub(crate) entries: Packed<RawEntry>,
    pub(crate) pads: Vec<Pad>,
    pub(crate) balances: Vec<Balance>,
    pub(crate) options: Options,
    /// The booking methods of accounts that state one.
    pub(crate) methods: BTreeMap<String, Method>,
}

/// The options of a file that change what entries mean.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) method: Method,
    /// The part of the last decimal place that may be missing in a sum.
    pub(crate) multiplier: SignedAmount,
    /// The least tolerances of currencies; `*` is any other.
    pub(crate) tolerances: BTreeMap<String, SignedAmount>,
    /// The first parts of the names of accounts, each with hledger's letter for the type.
    pub(crate) roots: [(&'static str, String); 5],
}

impl Default for Options {
    fn default() -> Self {
        let roots = ["Assets", "Liabilities", "Equity", "Income", "Expenses"];
        let letters = ["A", "L", "E", "R", "X"];
        let mut names = roots.into_iter();
        Self {
            method: Method::Strict,
            multiplier: SignedAmount::new(5, 1),
            tolerances: BTreeMap::new(),
            roots: letters.map(|letter| (letter, names.next().unwrap_or_default().to_owned())),
        }
    }
}

impl Options {
    /// Returns the tolerance that a number with these decimal places allows.
    pub(crate) fn tolerance(&self, decimals: u32) -> Option<SignedAmount> {
        let unit = SignedAmount::new(1, decimals);
        unit.checked_mul(self.multiplier).filter(|_| decimals > 0)
    }
}

/// How a reduction finds its lots when several match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// It must name one, or reduce all that match.
    Strict,
    /// One lot must fit, as in [`Self::Strict`]; a lot of exactly the size is preferred.
    StrictWithSize,
    /// The oldest first.
    Fifo,
    /// The newest first.
    Lifo,
    /// The most expensive first.
    Hifo,
    /// Lots are not matched.
    NoLots,
}

impl Method {
    /// Returns the method of a name.
    ///
    /// Returns `None` also for `AVERAGE`, which beancount does not have yet.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "STRICT" => Self::Strict,
            "STRICT_WITH_SIZE" => Self::StrictWithSize,
            "FIFO" => Self::Fifo,
            "LIFO" => Self::Lifo,
            "HIFO" => Self::Hifo,
            "NONE" => Self::NoLots,
            _ => return None,
        })
    }
}

/// An entry whose postings are still as written.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RawEntry {
    pub(crate) entry: Entry,
    pub(crate) postings: Vec<RawPosting>,
}

/// A posting as written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RawPosting {
    pub(crate) posting: Posting,
    pub(crate) number: Option<Number>,
    pub(crate) currency: Option<String>,
    pub(crate) cost: Option<Box<RawCost>>,
    pub(crate) price: Option<Box<RawPrice>>,
}

/// A cost in braces.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RawCost {
    pub(crate) per_unit: Option<SignedAmount>,
    pub(crate) total: Option<SignedAmount>,
    pub(crate) currency: Option<String>,
    pub(crate) lot: Lot,
}

/// A price behind `@` or `@@`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RawPrice {
    pub(crate) number: Option<SignedAmount>,
    pub(crate) currency: String,
    pub(crate) is_total: bool,
}

/// The directive `pad`.
#[derive(Debug)]
pub(crate) struct Pad {
    pub(crate) position: Position,
    pub(crate) date: Date,
    pub(crate) account: String,
    pub(crate) source: String,
    pub(crate) written: String,
}

/// The directive `balance`.
#[derive(Debug)]
pub(crate) struct Balance {
    pub(crate) position: Position,
    pub(crate) date: Date,
    pub(crate) account: String,
    pub(crate) quantity: Quantity,
    pub(crate) tolerance: SignedAmount,
}
