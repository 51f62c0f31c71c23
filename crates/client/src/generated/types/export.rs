//! Shapes of the contract: export.

use crate::open_enum::open_enum;

open_enum! {
    /// The format (docs/export.md).
    pub enum ExportFormat {
        /// `jsonl`.
        Jsonl = "jsonl",
        /// `hledger`.
        Hledger = "hledger",
        /// `beancount`.
        Beancount = "beancount",
        /// `csv`.
        Csv = "csv",
        /// `xlsx`.
        Xlsx = "xlsx",
        /// `zip`.
        Zip = "zip",
    }
}
