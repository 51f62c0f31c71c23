//! What the items of a merge say besides their ids (behaviour 3.11.9).

use time::Date;

use crate::amount::Amount;
use crate::field::Field;
use crate::id::{AccountId, FileId};
use crate::property::Edits;
use crate::transaction::changes::files_of_update;
use crate::transaction::rules::read_date;
use crate::transaction::{Changes, Transaction, TransactionRules};

/// What an item of a merge says besides its id, read. What it leaves blank it does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Submitted {
    pub(super) date: Option<Date>,
    pub(super) amount: Option<Amount>,
    pub(super) description: Option<String>,
    pub(super) credit: Option<AccountId>,
    pub(super) debit: Option<AccountId>,
    pub(super) urls: Vec<String>,
    pub(super) remote_ids: Vec<String>,
    pub(super) files: Vec<FileId>,
    /// A key that is deleted is deleted from the item's own properties only.
    pub(super) properties: Edits,
}

impl Changes {
    /// Whether an item of a merge carries fields beside its id. A field that is there counts, also
    /// when it is blank (behaviour 3.11.9).
    #[must_use]
    pub fn says_more_than_its_id(&self) -> bool {
        fn is_there<T>(field: &Field<T>) -> bool {
            !matches!(field, Field::Keep)
        }
        let Self {
            id: _,
            date,
            amount,
            description,
            credit,
            debit,
            checked: _,
            draft: _,
            urls,
            remote_ids,
            files,
            properties,
            round_trip: _,
        } = self;
        is_there(date)
            || is_there(amount)
            || is_there(description)
            || is_there(credit)
            || is_there(debit)
            || urls.is_some()
            || remote_ids.is_some()
            || files.is_some()
            || !properties.is_empty()
    }
}

impl TransactionRules<'_> {
    /// Reads what an item says; `stored` is the transaction it names.
    ///
    /// # Errors
    /// Values that cannot be read, and references that cannot be resolved, as in an update.
    pub fn submitted(
        &self,
        item: &Changes,
        stored: &Transaction,
    ) -> Result<Submitted, crate::Refusal> {
        let sides = item.sides_of_update(self.accounts)?;
        let amount = match &item.amount {
            Field::Keep | Field::Clear => None,
            Field::Set(text) => self.amount_of(text, stored.amount)?,
        };
        let description = item.description.as_ref().value();
        Ok(Submitted {
            date: read_date(&item.date)?.value(),
            amount,
            description: description.filter(|text| !text.trim().is_empty()).cloned(),
            credit: sides.credit.value(),
            debit: sides.debit.value(),
            urls: item.urls.clone().unwrap_or_default(),
            remote_ids: item.remote_ids.clone().unwrap_or_default(),
            files: item.files.as_deref().map_or_else(|| Ok(Vec::new()), files_of_update)?,
            properties: item.properties.clone(),
        })
    }
}
