//! Types of accounts.

use daybook_domain::account::AccountType;

/// A type of hledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Asset,
    Cash,
    Liability,
    Equity,
    Conversion,
    Revenue,
    Expense,
}

impl Kind {
    /// Returns the type of the value of a tag `type`.
    pub(crate) fn named(text: &str) -> Option<Self> {
        Some(match text.trim().to_lowercase().as_str() {
            "a" | "asset" => Self::Asset,
            "c" | "cash" => Self::Cash,
            "l" | "liability" => Self::Liability,
            "e" | "equity" => Self::Equity,
            "v" | "conversion" => Self::Conversion,
            "r" | "revenue" | "income" => Self::Revenue,
            "x" | "expense" => Self::Expense,
            _ => return None,
        })
    }

    /// Returns the type that hledger infers from the first part of a name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let mut parts = name.split(':').map(str::to_lowercase);
        Some(match parts.next()?.as_str() {
            "asset" | "assets" => Self::Asset,
            "debt" | "debts" | "liability" | "liabilities" => Self::Liability,
            "equity" => match parts.next().as_deref() {
                Some("trade" | "trades" | "conversion" | "conversions") => Self::Conversion,
                _ => Self::Equity,
            },
            "income" | "incomes" | "revenue" | "revenues" => Self::Revenue,
            "expense" | "expenses" => Self::Expense,
            _ => return None,
        })
    }

    /// Returns the type in Daybook, which has none for equity.
    pub(crate) const fn account_type(self) -> AccountType {
        match self {
            Self::Asset | Self::Cash => AccountType::Asset,
            Self::Liability | Self::Equity | Self::Conversion => AccountType::Liability,
            Self::Revenue => AccountType::Incoming,
            Self::Expense => AccountType::Outgoing,
        }
    }

    /// Returns the letter of a type that [`Self::account_type`] does not tell.
    pub(crate) const fn letter(self) -> Option<&'static str> {
        match self {
            Self::Cash => Some("C"),
            Self::Equity => Some("E"),
            Self::Conversion => Some("V"),
            Self::Asset | Self::Liability | Self::Revenue | Self::Expense => None,
        }
    }

    pub(crate) const fn is_equity(self) -> bool {
        matches!(self, Self::Equity | Self::Conversion)
    }

    /// Returns whether entries of this type alone with equity close a period.
    pub(crate) const fn is_result(self) -> bool {
        matches!(self, Self::Revenue | Self::Expense)
    }
}
