//! The source of a copy: what the caller may copy, and with which settings.

use daybook_domain::access::Access;
use daybook_domain::book::Settings;
use daybook_domain::book::copy;
use daybook_domain::id::TransactionId;
use daybook_domain::permission::Action;
use daybook_storage::Tx;
use time::Date;

use crate::access;
use crate::context::Context;
use crate::error::Result;

/// The parameters of copyBook, still as text.
#[derive(Debug, Clone, Default)]
pub struct CopyRequest {
    /// The name of the copy.
    pub name: Option<String>,
    /// Whether the transactions are copied too.
    pub transactions: bool,
    /// The first day of the transactions to copy. Ignored if they are not copied.
    pub from: Option<String>,
    /// Whether permanent accounts begin with their balances of the day before. Ignored if all
    /// transactions are copied, or none (behaviour 6.19).
    pub opening_balances: bool,
    /// Decimal places that differ from those of the source (behaviour 6.24).
    pub fraction_digits: Option<String>,
}

/// The part of a book to copy: the proof that the caller may, and the first day.
pub(super) struct CopySource {
    pub(super) access: Access,
    pub(super) from: Option<Date>,
    /// The settings of the copy.
    pub(super) settings: Settings,
}

/// Enters the source and reads the parameters.
pub(super) fn enter(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: &CopyRequest,
) -> Result<CopySource> {
    let access = access::enter(tx, cx, book, Action::CopyBook)?;
    // The copy is a new book, outside the scope of a limited token.
    cx.scope.check_outside_books()?;
    if request.transactions {
        access.require(Action::CopyTransactions)?;
    }
    let digits = copy::fraction_digits(request.fraction_digits.as_deref())?;
    let settings = access.book().copy_settings(request.name.as_deref(), digits)?;
    Ok(CopySource { access, from: copy::first_day(request.from.as_deref())?, settings })
}

pub(super) fn new_transaction_id(cx: &Context) -> TransactionId {
    TransactionId::new(cx.mint())
}
