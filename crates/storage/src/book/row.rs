//! Rows of `books`.

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::{Book, Period, Settings, StartMonth, Visibility};
use daybook_domain::calendar::DatePattern;
use daybook_domain::file::FileSecret;
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::name::Name;
use diesel::prelude::*;

use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::books;

/// The columns of a book that its settings determine.
#[derive(QueryableByName, Insertable, AsChangeset)]
#[diesel(table_name = books, treat_none_as_default_value = false, treat_none_as_null = true)]
pub(super) struct SettingsColumns {
    name: String,
    auto_post: bool,
    closing_date: Option<i32>,
    lock_date: Option<i32>,
    date_pattern: String,
    decimal_separator: String,
    fraction_digits: i32,
    scale: i32,
    page_size: i32,
    period: String,
    period_start_month: String,
    time_zone: String,
    visibility: String,
    properties: Option<String>,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

/// A row of `books` as it is read.
#[derive(QueryableByName)]
#[diesel(table_name = books)]
pub(super) struct Row {
    id: i64,
    public_id: String,
    #[diesel(embed)]
    columns: SettingsColumns,
    file_secret: String,
}

impl Row {
    /// Returns the visibility of the book.
    pub(super) fn visibility(&self) -> &str {
        &self.columns.visibility
    }

    pub(super) fn into_book(self, owner_name: String) -> Result<Book> {
        let Self { id, public_id, columns, file_secret } = self;
        let scale = u32::try_from(columns.scale).map_err(|_| Error::Corrupt("scale"))?;
        let stamp = column::stamp(
            columns.agent.clone(),
            columns.created_at,
            columns.updated_at,
            columns.version,
        );
        Ok(Book {
            id: BookId::new(id),
            key: BookKey::new(public_id),
            owner_name,
            settings: columns.into_settings()?,
            scale,
            file_secret: FileSecret::new(file_secret),
            stamp,
        })
    }
}

impl SettingsColumns {
    fn into_settings(self) -> Result<Settings> {
        let day = |day: Option<i32>, column| {
            day.map(|day| column::day_from_column(day, column)).transpose()
        };
        Ok(Settings {
            name: Name::stored(self.name),
            auto_post: self.auto_post,
            closing_date: day(self.closing_date, "closing_date")?,
            lock_date: day(self.lock_date, "lock_date")?,
            date_pattern: DatePattern::from_name(&self.date_pattern)
                .ok_or(Error::Corrupt("date_pattern"))?,
            decimal_separator: DecimalSeparator::from_name(&self.decimal_separator)
                .ok_or(Error::Corrupt("decimal_separator"))?,
            fraction_digits: u32::try_from(self.fraction_digits)
                .map_err(|_| Error::Corrupt("fraction_digits"))?,
            page_size: self.page_size,
            period: Period::from_name(&self.period).ok_or(Error::Corrupt("period"))?,
            period_start_month: StartMonth::from_name(&self.period_start_month)
                .ok_or(Error::Corrupt("period_start_month"))?,
            time_zone: self.time_zone,
            visibility: Visibility::from_name(&self.visibility)
                .ok_or(Error::Corrupt("visibility"))?,
            properties: column::properties_from_text(self.properties)?,
        })
    }

    pub(super) fn of(book: &Book) -> Result<Self> {
        let Settings {
            name,
            auto_post,
            closing_date,
            lock_date,
            date_pattern,
            decimal_separator,
            fraction_digits,
            page_size,
            period,
            period_start_month,
            time_zone,
            visibility,
            properties,
        } = &book.settings;
        Ok(Self {
            name: name.as_str().to_owned(),
            auto_post: *auto_post,
            closing_date: closing_date.map(column::day_to_column),
            lock_date: lock_date.map(column::day_to_column),
            date_pattern: date_pattern.as_str().to_owned(),
            decimal_separator: decimal_separator.as_str().to_owned(),
            fraction_digits: i32::try_from(*fraction_digits)
                .map_err(|_| Error::Corrupt("fraction_digits"))?,
            scale: i32::try_from(book.scale).map_err(|_| Error::Corrupt("scale"))?,
            page_size: *page_size,
            period: period.as_str().to_owned(),
            period_start_month: period_start_month.as_str().to_owned(),
            time_zone: time_zone.clone(),
            visibility: visibility.as_str().to_owned(),
            properties: column::properties_to_text(properties),
            agent: book.stamp.agent.clone(),
            created_at: book.stamp.created_at.milliseconds(),
            updated_at: book.stamp.updated_at.milliseconds(),
            version: book.stamp.version,
        })
    }
}
