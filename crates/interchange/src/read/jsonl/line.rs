//! The objects of the lines as written.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A line: one of the fields is there, or none that is known.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    pub(crate) daybook: Option<Daybook>,
    pub(crate) group: Option<Group>,
    pub(crate) account: Option<Account>,
    pub(crate) file: Option<File>,
    pub(crate) transaction: Option<Transaction>,
    pub(crate) end: Option<End>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Daybook {
    pub(crate) version: u32,
    pub(crate) exported_at: String,
    pub(crate) query: Option<String>,
    pub(crate) scale: u32,
    pub(crate) book: Book,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Book {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) visibility: Option<String>,
    #[serde(default)]
    pub(crate) auto_post: bool,
    pub(crate) closing_date: Option<String>,
    pub(crate) lock_date: Option<String>,
    pub(crate) date_pattern: Option<String>,
    pub(crate) decimal_separator: Option<String>,
    pub(crate) fraction_digits: u32,
    pub(crate) page_size: Option<u32>,
    pub(crate) period: Option<String>,
    pub(crate) period_start_month: Option<String>,
    pub(crate) time_zone: Option<String>,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, String>,
    #[serde(flatten)]
    pub(crate) stamp: Stamp,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamp {
    pub(crate) agent_id: Option<String>,
    pub(crate) created_by: Option<String>,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Reference {
    pub(crate) id: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Group {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) parent: Option<Reference>,
    #[serde(default)]
    pub(crate) hidden: bool,
    #[serde(default)]
    pub(crate) locked: bool,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, String>,
    #[serde(flatten)]
    pub(crate) stamp: Stamp,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) r#type: String,
    #[serde(default)]
    pub(crate) archived: bool,
    pub(crate) min_balance: Option<String>,
    #[serde(default)]
    pub(crate) groups: Vec<Reference>,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, String>,
    #[serde(flatten)]
    pub(crate) stamp: Stamp,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) content_type: String,
    pub(crate) size: u64,
    pub(crate) sha256: String,
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, String>,
    #[serde(flatten)]
    pub(crate) stamp: Stamp,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Transaction {
    pub(crate) id: String,
    pub(crate) date: Option<String>,
    pub(crate) amount: Option<String>,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) credit_account: Option<Reference>,
    pub(crate) debit_account: Option<Reference>,
    #[serde(default)]
    pub(crate) draft: bool,
    #[serde(default)]
    pub(crate) checked: bool,
    #[serde(default)]
    pub(crate) trashed: bool,
    #[serde(default)]
    pub(crate) urls: Vec<String>,
    #[serde(default)]
    pub(crate) remote_ids: Vec<String>,
    #[serde(default)]
    pub(crate) files: Vec<Reference>,
    #[serde(default)]
    pub(crate) properties: BTreeMap<String, String>,
    #[serde(flatten)]
    pub(crate) stamp: Stamp,
}

#[derive(Debug, Deserialize)]
pub(crate) struct End {
    pub(crate) groups: usize,
    pub(crate) accounts: usize,
    pub(crate) files: usize,
    pub(crate) transactions: usize,
    pub(crate) drafts: usize,
    pub(crate) amount: String,
}
