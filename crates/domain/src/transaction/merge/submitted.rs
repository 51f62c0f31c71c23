//! The fields of the items of a merge besides their ids (behaviour 3.11.9).

use time::Date;

use crate::amount::Amount;
use crate::field::Field;
use crate::id::{AccountId, FileId};
use crate::property::Edits;
use crate::transaction::changes::files_of_update;
use crate::transaction::rules::read_date;
use crate::transaction::{Changes, Transaction, TransactionRules};

/// The fields of an item of a merge besides its id, parsed. Blank fields are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubmittedFields {
    pub(super) date: Option<Date>,
    pub(super) amount: Option<Amount>,
    pub(super) description: Option<String>,
    pub(super) credit: Option<AccountId>,
    pub(super) debit: Option<AccountId>,
    pub(super) urls: Vec<String>,
    pub(super) remote_ids: Vec<String>,
    pub(super) files: Vec<FileId>,
    /// A deleted key is only deleted from the properties of the same item.
    pub(super) properties: Edits,
}

impl Changes {
    /// Returns whether an item of a merge has fields besides its id, blank or not (behaviour
    /// 3.11.9).
    pub fn has_fields_besides_id(&self) -> bool {
        fn is_present<T>(field: &Field<T>) -> bool {
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
        is_present(date)
            || is_present(amount)
            || is_present(description)
            || is_present(credit)
            || is_present(debit)
            || urls.is_some()
            || remote_ids.is_some()
            || files.is_some()
            || !properties.is_empty()
    }
}

impl TransactionRules<'_> {
    /// Reads the fields of an item; `stored` is the transaction with its id.
    ///
    /// # Errors
    /// Unreadable values and unknown references, as in an update.
    pub fn read_submitted(
        &self,
        item: &Changes,
        stored: &Transaction,
    ) -> Result<SubmittedFields, crate::Refusal> {
        let sides = item.sides_of_update(self.accounts)?;
        let amount = match &item.amount {
            Field::Keep | Field::Clear => None,
            Field::Set(text) => self.read_amount(text, stored.amount)?,
        };
        let description = item.description.as_ref().value();
        Ok(SubmittedFields {
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
