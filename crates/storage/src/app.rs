//! Apps, which belong to no book.
//!
//! The users and domains in their manifests are in a separate table, so the apps of a user are
//! found without a scan.

use std::collections::{BTreeSet, HashMap, HashSet};

use daybook_domain::app::{
    App, AppFlags, AppId, AppSummary, AppText, AppTexts, Manifest, PropertiesSchema, PropertyHints,
    PropertyHolder,
};
use daybook_domain::event::EventType;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_domain::json::{Json, Object};
use daybook_domain::name::Name;
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value};
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::{app_people, apps, integrations};

/// The columns of an app without its readmes.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = apps, treat_none_as_default_value = false, treat_none_as_null = true)]
struct ListedRow {
    id: String,
    owner_id: i64,
    name: String,
    texts: String,
    connectable: bool,
    deprecated: bool,
    installable: bool,
    repo_private: bool,
    published: bool,
    events: Option<String>,
    file_patterns: Option<String>,
    scopes: Option<String>,
    properties_schema: Option<String>,
    client_secret: Option<Vec<u8>>,
    created_at: i64,
    updated_at: i64,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = apps, treat_none_as_default_value = false, treat_none_as_null = true)]
struct Row {
    #[diesel(embed)]
    listed: ListedRow,
    readme: Option<String>,
    readme_md: Option<String>,
}

impl From<&App> for Row {
    fn from(app: &App) -> Self {
        let App { id, owner, manifest, published, client_secret, created_at, updated_at } = app;
        let Manifest { name, texts, flags, events, file_patterns, scopes, properties_schema } =
            manifest;
        let AppFlags { connectable, deprecated, installable, repo_private } = *flags;
        let readme = |text| texts.get(&text).cloned();
        let others = texts.iter().filter(|(text, _)| !READMES.contains(text));
        let others: Object =
            others.map(|(text, value)| (text.as_str().to_owned(), Json::text(value))).collect();
        let events: Vec<String> = events.iter().map(|kind| kind.as_str().to_owned()).collect();
        let listed = ListedRow {
            id: id.to_string(),
            owner_id: owner.get(),
            name: name.as_str().to_owned(),
            texts: Json::Object(others).canonical(),
            connectable,
            deprecated,
            installable,
            repo_private,
            published: *published,
            events: column::texts_to_text(&events),
            file_patterns: column::texts_to_text(file_patterns),
            scopes: column::texts_to_text(scopes),
            properties_schema: schema_to_column(properties_schema),
            client_secret: client_secret.clone(),
            created_at: created_at.milliseconds(),
            updated_at: updated_at.milliseconds(),
        };
        let [readme, readme_md] = READMES.map(readme);
        Self { listed, readme, readme_md }
    }
}

impl TryFrom<ListedRow> for App {
    type Error = Error;

    fn try_from(row: ListedRow) -> Result<Self> {
        let kind = |name: &String| EventType::from_name(name).ok_or(Error::Corrupt("events"));
        let events = column::texts_from_text(row.events, "events")?;
        let manifest = Manifest {
            name: Name::stored(row.name),
            texts: texts_from_column(&row.texts)?,
            flags: AppFlags {
                connectable: row.connectable,
                deprecated: row.deprecated,
                installable: row.installable,
                repo_private: row.repo_private,
            },
            events: events.iter().map(kind).collect::<Result<_>>()?,
            file_patterns: column::texts_from_text(row.file_patterns, "file_patterns")?,
            scopes: column::texts_from_text(row.scopes, "scopes")?,
            properties_schema: schema_from_column(row.properties_schema.as_deref())?,
        };
        Ok(Self {
            id: AppId::stored(row.id),
            owner: UserId::new(row.owner_id),
            manifest,
            published: row.published,
            client_secret: row.client_secret,
            created_at: Instant::new(row.created_at),
            updated_at: Instant::new(row.updated_at),
        })
    }
}

impl TryFrom<Row> for App {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { listed, readme, readme_md } = row;
        let mut app = Self::try_from(listed)?;
        let readmes = READMES.into_iter().zip([readme, readme_md]);
        let readmes: AppTexts = readmes.filter_map(|(text, value)| Some((text, value?))).collect();
        app.manifest.texts.extend(readmes);
        Ok(app)
    }
}

/// The texts that lists omit.
const READMES: [AppText; 2] = [AppText::Readme, AppText::ReadmeMd];

fn texts_from_column(text: &str) -> Result<AppTexts> {
    let object = column::object_from_text(text, "texts")?;
    let known = |(name, value): (&str, &Json)| {
        Some((AppText::from_name(name)?, value.as_text()?.to_owned()))
    };
    Ok(object.iter().filter_map(known).collect())
}

fn schema_to_column(schema: &PropertiesSchema) -> Option<String> {
    let object: Object = schema
        .iter()
        .map(|(holder, PropertyHints { keys, values })| {
            let hints = Object::new().with_texts("keys", keys).with_texts("values", values);
            (holder.as_str().to_owned(), Json::Object(hints))
        })
        .collect();
    (!schema.is_empty()).then(|| Json::Object(object).canonical())
}

fn schema_from_column(text: Option<&str>) -> Result<PropertiesSchema> {
    const COLUMN: &str = "properties_schema";
    let Some(text) = text else { return Ok(PropertiesSchema::new()) };
    let object = column::object_from_text(text, COLUMN)?;
    let hints = |(name, hints): (&str, &Json)| {
        let holder = PropertyHolder::from_name(name).ok_or(Error::Corrupt(COLUMN))?;
        let Json::Object(hints) = hints else { return Err(Error::Corrupt(COLUMN)) };
        let list = |key: &str| match hints.get(key) {
            Some(Json::List(items)) => {
                items.iter().filter_map(Json::as_text).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        Ok((holder, PropertyHints { keys: list("keys"), values: list("values") }))
    };
    object.iter().map(hints).collect()
}

fn limit_to_sql(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The apps of this installation.
pub struct Apps<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Apps<'_, '_> {
    /// Finds an app by id.
    pub fn find(self, id: &str) -> Result<Option<App>> {
        let query = apps::table.find(id);
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Finds an app by id and locks it for a change.
    pub fn lock(self, id: &str) -> Result<Option<App>> {
        let mut conn = self.tx.flushed()?;
        let row =
            Sql::new("SELECT id FROM apps WHERE id = {}{}").bind((id, Sql::new(conn.for_update())));
        conn.execute(&row).map_err(Error::from_lock_wait)?;
        self.find(id)
    }

    /// Lists the apps with these ids, without readmes, in no order.
    pub fn by_ids(self, ids: &BTreeSet<String>) -> Result<Vec<App>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = apps::table.filter(apps::id.eq_any(ids));
        self.tx.flushed()?.select_all::<ListedRow, _>(query)
    }

    /// Loads the summaries of apps, from the cache where possible.
    ///
    /// Ids without an app are omitted, because requests may name any agent.
    pub fn summaries(
        self,
        ids: impl Iterator<Item = impl Into<String>>,
    ) -> Result<HashMap<String, AppSummary>> {
        let mut missing: BTreeSet<String> = ids.map(Into::into).collect();
        if missing.is_empty() {
            return Ok(HashMap::new());
        }
        let cache = self.tx.app_summaries();
        let mut summaries = cache.take_cached(&mut missing);
        if !missing.is_empty() {
            let query = apps::table.filter(apps::id.eq_any(&missing));
            let apps: Vec<App> = self.tx.unflushed()?.select_all::<ListedRow, _>(query)?;
            let read = apps.iter().map(|app| (app.id.to_string(), AppSummary::from(app))).collect();
            cache.insert(missing, &read);
            summaries.extend(read);
        }
        Ok(summaries)
    }

    /// Counts the apps of an owner.
    pub fn count(self, owner: UserId) -> Result<i64> {
        let query = apps::table.filter(apps::owner_id.eq(owner.get())).count();
        self.tx.flushed()?.one(query)
    }

    /// Lists the apps of an owner that are not deprecated, without readmes.
    pub fn owned(self, owner: UserId) -> Result<Vec<App>> {
        let query = apps::table.filter(apps::owner_id.eq(owner.get()));
        let query = query.filter(apps::deprecated.eq(false));
        self.tx.flushed()?.select_all::<ListedRow, _>(query)
    }

    /// Lists the published apps that are not deprecated, without readmes.
    pub fn published(self, limit: usize) -> Result<Vec<App>> {
        let query =
            apps::table.filter(apps::published.eq(true)).order(apps::id).limit(limit_to_sql(limit));
        let query = query.filter(apps::deprecated.eq(false));
        self.tx.flushed()?.select_all::<ListedRow, _>(query)
    }

    /// Lists the apps whose manifest has any of these entries and that are not deprecated, without
    /// readmes.
    pub fn naming(self, entries: &[String], limit: usize) -> Result<Vec<App>> {
        let named = app_people::table.filter(app_people::pattern.eq_any(entries));
        let query = apps::table.filter(apps::id.eq_any(named.select(app_people::app_id)));
        let query =
            query.filter(apps::deprecated.eq(false)).order(apps::id).limit(limit_to_sql(limit));
        self.tx.flushed()?.select_all::<ListedRow, _>(query)
    }

    /// Returns which of these usernames a manifest mentions.
    pub fn mentioned_usernames(self, usernames: &[String]) -> Result<HashSet<String>> {
        let query = app_people::table.filter(app_people::pattern.eq_any(usernames));
        let query = query.select(app_people::pattern).distinct();
        let named: Vec<String> = self.tx.flushed()?.load(query)?;
        Ok(named.into_iter().collect())
    }

    /// Lists the apps that are installed in any book and want events, without readmes, for the
    /// operator's checks.
    pub fn installed(self, limit: usize) -> Result<Vec<App>> {
        let installed = integrations::table.select(integrations::app_id);
        let query = apps::table
            .filter(apps::id.eq_any(installed))
            .filter(apps::events.is_not_null())
            .order(apps::id)
            .limit(limit_to_sql(limit));
        self.tx.flushed()?.select_all::<ListedRow, _>(query)
    }

    /// Lists all apps that are not deprecated, without readmes.
    pub fn list_all(self, limit: usize) -> Result<Vec<App>> {
        let query = apps::table
            .filter(apps::deprecated.eq(false))
            .order(apps::id)
            .limit(limit_to_sql(limit));
        self.tx.flushed()?.select_all::<ListedRow, _>(query)
    }

    /// Inserts an app.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] if the id exists.
    pub fn insert(self, app: &App) -> Result<()> {
        let row = Row::from(app);
        let query = diesel::insert_into(apps::table).values(&row);
        self.tx.flushed()?.run(query)?;
        self.tx.app_summaries().remove(app.id.as_str());
        self.insert_people(app)
    }

    /// Saves a changed app.
    pub fn update(self, app: &App) -> Result<()> {
        let row = Row::from(app);
        let target = apps::table.find(app.id.as_str());
        let named = app_people::table.filter(app_people::app_id.eq(app.id.as_str()));
        let mut conn = self.tx.flushed()?;
        conn.run(diesel::update(target).set(&row))?;
        conn.run(diesel::delete(named))?;
        self.tx.app_summaries().remove(app.id.as_str());
        self.insert_people(app)
    }

    /// Inserts the users and domains in the manifest of an app.
    fn insert_people(self, app: &App) -> Result<()> {
        let mut rows = Bulk::new("INSERT INTO app_people (pattern, app_id)", 2, "");
        let people = app.audience();
        for entry in people.iter() {
            rows.row([Value::Text(entry.into()), Value::Text(app.id.as_str().into())]);
        }
        Ok(self.tx.flushed()?.write(rows)?)
    }
}
