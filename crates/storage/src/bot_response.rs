//! What apps have to say about events: rows and repository (behaviour 8.7).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{BotResponse, EventDelivery, ResponseKind};
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;

use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::schema::bot_responses;
use crate::sql::Sql;
use crate::tx::Tx;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = bot_responses)]
struct Row {
    book_id: i64,
    sequence: i64,
    app_id: String,
    kind: String,
    message: String,
    created_at: i64,
}

impl TryFrom<Row> for BotResponse {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            app: AppId::stored(row.app_id),
            kind: ResponseKind::from_name(&row.kind).ok_or(Error::Corrupt("kind"))?,
            message: row.message,
            created_at: Instant::new(row.created_at),
        })
    }
}

/// The numbers of the events with an error response of an app.
pub(crate) fn failed_events<'s>(book: BookId) -> Sql<'s> {
    let errors = Sql::new("SELECT r.sequence FROM bot_responses r WHERE r.book_id = ");
    errors.int(book.get()).push(" AND r.kind = ").text(ResponseKind::Error.as_str())
}

/// The responses to events.
pub struct BotResponses<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl BotResponses<'_, '_> {
    /// Those to some events, by the number of the event, in the order of the apps.
    pub fn of_events(
        self,
        access: &Access,
        sequences: &[i64],
    ) -> Result<HashMap<i64, Vec<BotResponse>>> {
        let mut found: HashMap<i64, Vec<BotResponse>> = HashMap::new();
        if sequences.is_empty() {
            return Ok(found);
        }
        let about = bot_responses::book_id.eq(access.book().id.get());
        let query = bot_responses::table
            .filter(about.and(bot_responses::sequence.eq_any(sequences)))
            .order((bot_responses::sequence, bot_responses::app_id));
        let rows: Vec<Row> =
            on_engine!(self.tx.flushed()?, c => query.select(Row::as_select()).load(c))?;
        for row in rows {
            found.entry(row.sequence).or_default().push(BotResponse::try_from(row)?);
        }
        Ok(found)
    }

    /// Records the response to a delivery in the place of the one before; none removes that.
    pub fn replace(self, delivery: &EventDelivery, response: Option<&BotResponse>) -> Result<()> {
        let key = (delivery.book.get(), delivery.sequence, delivery.app.as_str());
        let mut conn = self.tx.flushed()?;
        let before = bot_responses::table.find(key);
        on_engine!(conn, c => diesel::delete(before).execute(c))?;
        let Some(BotResponse { app, kind, message, created_at }) = response else { return Ok(()) };
        let row = Row {
            book_id: key.0,
            sequence: key.1,
            app_id: app.to_string(),
            kind: kind.as_str().to_owned(),
            message: message.clone(),
            created_at: created_at.milliseconds(),
        };
        let query = diesel::insert_into(bot_responses::table).values(&row);
        on_engine!(conn, c => query.execute(c))?;
        Ok(())
    }
}
