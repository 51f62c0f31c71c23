//! Daybook's own export: a book as lines of JSON (`docs/export.md`).
//!
//! A [`Reader`] takes the lines one after the other, so a book of any size needs little memory
//! beside its chart. The file is refused as a whole when a line has a fault, refers to what does
//! not precede it, or when the numbers of the last line differ from those before it: the file was
//! cut short or changed. So is a file whose chart exceeds the limit of a book (behaviour 4.22),
//! because the chart is kept in memory. Unknown fields and kinds of lines are ignored. Transactions
//! in the trash are counted and left out.

mod line;
mod model;

use std::collections::HashSet;

use daybook_domain::account::AccountType;
use daybook_domain::amount::MAX_FRACTION_DIGITS;
use daybook_domain::calendar::parse_iso;
use daybook_domain::chart::MAX_CHART;
use daybook_domain::json::contains_nul;
use daybook_domain::storage_quota::ROW_BYTES;
use time::Date;

use super::amount::SignedAmount;
use super::limits::MAX_DEPTH;
use super::problem::{Kind, Position, Problem, excerpt, first_line};
use line::{Line, Reference};

pub use model::{
    Account, Book, File, Group, Header, Item, Properties, Stamp, Summary, Transaction,
};

/// The most bytes of a line.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// The most bytes of an id, and of the digest of a file.
const MAX_ID_BYTES: usize = 100;

/// The least bytes of a property as JSON in addition to its key and value.
const PROPERTY_BYTES: usize = 6;

/// The version of the format that is read.
const VERSION: u32 = 1;

/// Reads all lines of a file.
///
/// # Errors
/// The first problem. The caller must discard the items that `sink` has received by then.
pub fn read(bytes: &[u8], sink: &mut dyn FnMut(Item)) -> Result<Summary, Problem> {
    let mut reader = Reader::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        reader.line(line)?.into_iter().for_each(&mut *sink);
    }
    reader.finish()
}

/// Reads a file line by line.
#[derive(Debug, Default)]
pub struct Reader {
    number: u32,
    /// The decimal places of amounts; `None` before the first line.
    scale: Option<u32>,
    groups: HashSet<String>,
    accounts: HashSet<String>,
    files: HashSet<String>,
    /// The bytes for which the accounts and groups count at least (behaviour 4.22).
    chart_bytes: i64,
    summary: Summary,
    has_end: bool,
}

impl Reader {
    /// Reads a line without its line feed; `None` if it has nothing to record.
    ///
    /// # Errors
    /// A problem of the line.
    pub fn line(&mut self, bytes: &[u8]) -> Result<Option<Item>, Problem> {
        self.number = self.number.saturating_add(1);
        if bytes.trim_ascii().is_empty() {
            return Ok(None);
        }
        if bytes.len() > MAX_LINE_BYTES {
            return Err(self.problem(Kind::FieldTooLong(MAX_LINE_BYTES)));
        }
        if contains_nul(bytes) {
            return Err(self.problem(Kind::NulCharacter));
        }
        let position = |column: usize| {
            let column = u32::try_from(column).unwrap_or(u32::MAX).max(1);
            Position { line: self.number, column }
        };
        if let Some(column) = find_too_deep(bytes) {
            return Err(Problem::at(position(column), Kind::TooDeep));
        }
        let line: Line = serde_json::from_slice(bytes).map_err(|error| {
            Problem::at(position(error.column()), Kind::InvalidJson(first_line(&error)))
        })?;
        if let Some(daybook) = line.daybook {
            return self.header(daybook).map(|header| Some(Item::Header(Box::new(header))));
        }
        if self.scale.is_none() || self.has_end {
            return Err(self.problem(Kind::NotAnExport));
        }
        if let Some(group) = line.group {
            return self.group(group).map(|group| Some(Item::Group(group)));
        }
        if let Some(account) = line.account {
            return self.account(account).map(|account| Some(Item::Account(account)));
        }
        if let Some(file) = line.file {
            return self.file(file).map(|file| Some(Item::File(file)));
        }
        if let Some(transaction) = line.transaction {
            let transaction = self.transaction(transaction)?;
            return Ok(transaction.map(|each| Item::Transaction(Box::new(each))));
        }
        if let Some(end) = line.end {
            self.end(&end)?;
        }
        Ok(None)
    }

    /// Returns the numbers of what was read.
    ///
    /// # Errors
    /// [`Kind::ExportCutShort`] without a last line.
    pub fn finish(self) -> Result<Summary, Problem> {
        if self.scale.is_none() {
            return Err(Problem::of_file(Kind::NotAnExport));
        }
        if self.has_end { Ok(self.summary) } else { Err(Problem::of_file(Kind::ExportCutShort)) }
    }

    const fn problem(&self, kind: Kind) -> Problem {
        Problem::at(Position::line(self.number), kind)
    }

    fn header(&mut self, daybook: line::Daybook) -> Result<Header, Problem> {
        let line::Daybook { version, exported_at, query, scale, book } = daybook;
        if self.scale.is_some() {
            return Err(self.problem(Kind::NotAnExport));
        }
        if version != VERSION {
            return Err(self.problem(Kind::ExportVersion(version)));
        }
        // The scale is at least the decimal places of the book (behaviour 3.12.7).
        if scale > MAX_FRACTION_DIGITS || book.fraction_digits > scale {
            return Err(self.problem(Kind::InvalidAmount(scale.to_string())));
        }
        self.scale = Some(scale);
        let book = Book {
            id: book.id,
            name: book.name,
            visibility: book.visibility,
            auto_post: book.auto_post,
            closing_date: self.date(book.closing_date)?,
            lock_date: self.date(book.lock_date)?,
            date_pattern: book.date_pattern,
            decimal_separator: book.decimal_separator,
            fraction_digits: book.fraction_digits,
            page_size: book.page_size,
            period: book.period,
            period_start_month: book.period_start_month,
            time_zone: book.time_zone,
            properties: book.properties,
            stamp: self.stamp(book.stamp)?,
        };
        Ok(Header { exported_at: self.instant(Some(&exported_at))?, query, scale, book })
    }

    fn group(&mut self, group: line::Group) -> Result<Group, Problem> {
        self.check_order()?;
        self.check_id(&group.id)?;
        self.count_chart(&group.name, &group.properties, group.stamp.agent_id.as_deref(), 0)?;
        let parent = group.parent.map(|parent| self.known(&self.groups, parent)).transpose()?;
        let read = Group {
            id: group.id,
            name: group.name,
            parent,
            is_hidden: group.hidden,
            is_locked: group.locked,
            properties: group.properties,
            stamp: self.chart_stamp(group.stamp)?,
        };
        let is_new = self.groups.insert(read.id.clone());
        self.summary.groups += 1;
        self.only_once(is_new, &read.id).map(|()| read)
    }

    fn account(&mut self, account: line::Account) -> Result<Account, Problem> {
        self.check_order()?;
        self.check_id(&account.id)?;
        let groups = account.groups.len();
        let agent = account.stamp.agent_id.as_deref();
        self.count_chart(&account.name, &account.properties, agent, groups)?;
        let kind = AccountType::from_name(&account.r#type);
        let unknown = || self.problem(Kind::InvalidType(excerpt(&account.r#type)));
        let groups = account.groups.into_iter().map(|group| self.known(&self.groups, group));
        let read = Account {
            kind: kind.ok_or_else(unknown)?,
            groups: groups.collect::<Result<_, _>>()?,
            id: account.id,
            name: account.name,
            is_archived: account.archived,
            min_balance: self.amount(account.min_balance.as_deref())?,
            properties: account.properties,
            stamp: self.chart_stamp(account.stamp)?,
        };
        let is_new = self.accounts.insert(read.id.clone());
        self.summary.accounts += 1;
        self.only_once(is_new, &read.id).map(|()| read)
    }

    /// Checks that the chart precedes what refers to it, so that a book is created with all of it.
    fn check_order(&self) -> Result<(), Problem> {
        let Summary { files, transactions, .. } = self.summary;
        if files + transactions == 0 { Ok(()) } else { Err(self.problem(Kind::LateChart)) }
    }

    /// Counts an account or a group with its memberships.
    fn count_chart(
        &mut self,
        name: &str,
        properties: &Properties,
        agent: Option<&str>,
        groups: usize,
    ) -> Result<(), Problem> {
        let properties = properties.iter().map(|(key, value)| {
            key.len().saturating_add(value.len()).saturating_add(PROPERTY_BYTES)
        });
        let texts = [Some(name), agent].into_iter().flatten().map(str::len).chain(properties);
        let texts = i64::try_from(texts.fold(0, usize::saturating_add)).unwrap_or(i64::MAX);
        let rows = i64::try_from(groups.saturating_add(1)).unwrap_or(i64::MAX);
        let bytes = rows.saturating_mul(ROW_BYTES).saturating_add(texts);
        self.chart_bytes = self.chart_bytes.saturating_add(bytes);
        let fits = self.chart_bytes <= MAX_CHART;
        if fits { Ok(()) } else { Err(self.problem(Kind::ChartTooLarge)) }
    }

    fn check_id(&self, id: &str) -> Result<(), Problem> {
        if id.len() <= MAX_ID_BYTES {
            Ok(())
        } else {
            Err(self.problem(Kind::FieldTooLong(MAX_ID_BYTES)))
        }
    }

    fn file(&mut self, file: line::File) -> Result<File, Problem> {
        self.check_id(&file.id)?;
        self.check_id(&file.sha256)?;
        let read = File {
            id: file.id,
            name: file.name,
            content_type: file.content_type,
            size: file.size,
            sha256: file.sha256,
            path: file.path,
            properties: file.properties,
            stamp: self.stamp(file.stamp)?,
        };
        let is_new = self.files.insert(read.id.clone());
        self.summary.files += 1;
        self.only_once(is_new, &read.id).map(|()| read)
    }

    fn transaction(&mut self, written: line::Transaction) -> Result<Option<Transaction>, Problem> {
        let side =
            |side: Option<Reference>| side.map(|side| self.known(&self.accounts, side)).transpose();
        let (credit, debit) = (side(written.credit_account)?, side(written.debit_account)?);
        let files = written.files.into_iter().map(|file| self.known(&self.files, file));
        let read = Transaction {
            position: Position::line(self.number),
            files: files.collect::<Result<_, _>>()?,
            date: self.date(written.date)?,
            amount: self.amount(written.amount.as_deref())?,
            id: written.id,
            description: written.description,
            credit,
            debit,
            is_draft: written.draft,
            is_checked: written.checked,
            urls: written.urls,
            remote_ids: written.remote_ids,
            properties: written.properties,
            stamp: self.stamp(written.stamp)?,
        };
        let is_complete = read.date.is_some()
            && read.credit.is_some()
            && read.debit.is_some()
            && read.credit != read.debit
            && read.amount.is_some_and(|amount| !amount.is_zero() && !amount.is_negative());
        if !read.is_draft && !is_complete {
            return Err(self.problem(Kind::IncompleteTransaction));
        }
        self.summary.transactions += 1;
        self.summary.drafts += usize::from(read.is_draft);
        if written.trashed {
            self.summary.trashed += 1;
            return Ok(None);
        }
        if !read.is_draft {
            let sum = self.summary.sum.checked_add(read.amount.unwrap_or_default());
            self.summary.sum = sum.ok_or_else(|| self.problem(Kind::AmountTooLarge))?;
        }
        Ok(Some(read))
    }

    fn end(&mut self, end: &line::End) -> Result<(), Problem> {
        let Summary { groups, accounts, files, transactions, drafts, sum, .. } = self.summary;
        let stated = (end.groups, end.accounts, end.files, end.transactions, end.drafts);
        let amount = self.decimal(&end.amount)?;
        if stated != (groups, accounts, files, transactions, drafts) || amount != sum {
            return Err(self.problem(Kind::ExportCutShort));
        }
        self.has_end = true;
        Ok(())
    }

    /// Returns the id of a reference to a line that precedes.
    fn known(&self, ids: &HashSet<String>, reference: Reference) -> Result<String, Problem> {
        let Reference { id } = reference;
        if ids.contains(&id) { Ok(id) } else { Err(self.problem(Kind::UnknownId(excerpt(&id)))) }
    }

    fn only_once(&self, is_new: bool, id: &str) -> Result<(), Problem> {
        if is_new { Ok(()) } else { Err(self.problem(Kind::RepeatedId(excerpt(id)))) }
    }

    fn date(&self, text: Option<String>) -> Result<Option<Date>, Problem> {
        let parse = |text: String| {
            parse_iso(&text).ok_or_else(|| self.problem(Kind::InvalidDate(excerpt(&text))))
        };
        text.map(parse).transpose()
    }

    /// Parses an amount within the scale of the book.
    fn amount(&self, text: Option<&str>) -> Result<Option<SignedAmount>, Problem> {
        let Some(amount) = text.map(|text| self.decimal(text)).transpose()? else {
            return Ok(None);
        };
        let allowed = self.scale.unwrap_or_default();
        let found = amount.decimals();
        if found > allowed {
            return Err(self.problem(Kind::TooManyDecimals { found, allowed }));
        }
        let fits = amount.units(allowed).is_some_and(|units| i64::try_from(units).is_ok());
        if fits { Ok(Some(amount)) } else { Err(self.problem(Kind::AmountTooLarge)) }
    }

    /// Parses a decimal with a point.
    fn decimal(&self, text: &str) -> Result<SignedAmount, Problem> {
        let (is_negative, digits) =
            text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let amount = SignedAmount::from_digits(is_negative, whole, fraction);
        let invalid = || self.problem(Kind::InvalidAmount(excerpt(text)));
        amount.filter(|_| !whole.is_empty()).ok_or_else(invalid)
    }

    fn stamp(&self, stamp: line::Stamp) -> Result<Stamp, Problem> {
        Ok(Stamp {
            agent_id: stamp.agent_id,
            created_by: stamp.created_by,
            created_at: self.instant(stamp.created_at.as_deref())?,
            updated_at: self.instant(stamp.updated_at.as_deref())?,
        })
    }

    /// Returns the stamp of an account or a group, which have no creator.
    fn chart_stamp(&self, stamp: line::Stamp) -> Result<Stamp, Problem> {
        Ok(Stamp { created_by: None, ..self.stamp(stamp)? })
    }

    /// Parses milliseconds; an absent time is 0.
    fn instant(&self, text: Option<&str>) -> Result<i64, Problem> {
        let Some(text) = text else { return Ok(0) };
        text.parse().map_err(|_| self.problem(Kind::InvalidDate(excerpt(text))))
    }
}

/// Returns the column in bytes of the first value that is nested more than [`MAX_DEPTH`] deep.
fn find_too_deep(line: &[u8]) -> Option<usize> {
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    for (index, byte) in line.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text && depth == MAX_DEPTH => return Some(index + 1),
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
