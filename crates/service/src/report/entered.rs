//! The beginning of a report: access, parameters, chart and heading.

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::Account;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::balance::BalanceScope;
use daybook_domain::event::Head;
use daybook_domain::group::Forest;
use daybook_domain::id::AccountId;
use daybook_domain::permission::Action;
use daybook_domain::report::{BookChart, Facts, Heading, Parameters, ReportKind, Request};
use daybook_storage::Tx;
use daybook_storage::event::EventFilter;

use crate::access;
use crate::chart::load_forest;
use crate::context::Context;
use crate::error::Result;
use crate::transaction::count_matches;

/// The texts of the parameters of a report.
#[derive(Debug, Clone, Default)]
pub struct ParameterTexts {
    /// The period.
    pub period: Option<String>,
    /// The event or instant after which changes are listed.
    pub after: Option<String>,
    /// A period or the id of a book to compare with.
    pub compare: Option<String>,
    /// The length of the periods, or hashtags, that are columns.
    pub columns: Option<String>,
    /// The levels of groups.
    pub depth: Option<String>,
    /// Whether accounts without amounts are shown.
    pub zeros: Option<String>,
    /// The accounts, groups and hashtags of the report.
    pub query: Option<String>,
}

impl ParameterTexts {
    fn parameters(&self) -> Parameters<'_> {
        Parameters {
            period: self.period.as_deref(),
            after: self.after.as_deref(),
            compare: self.compare.as_deref(),
            columns: self.columns.as_deref(),
            depth: self.depth.as_deref(),
            zeros: self.zeros.as_deref(),
            query: self.query.as_deref(),
        }
    }
}

/// The chart of a book that the caller may read.
pub(super) struct Chart {
    pub(super) access: Access,
    pub(super) accounts: Vec<Account>,
    pub(super) forest: Forest,
}

/// A report that is being read.
pub(super) struct Entered {
    pub(super) chart: Chart,
    pub(super) request: Request,
    pub(super) scope: BalanceScope,
    pub(super) heading: Heading,
}

/// Admits the caller, reads the parameters and loads the chart.
///
/// # Errors
/// Refusals of the parameters (behaviour 13.2); those of [`access::enter`].
pub(super) fn enter(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    kind: ReportKind,
    texts: &ParameterTexts,
) -> Result<Entered> {
    // A caller who may read the chart may read all transactions.
    let action = if kind == ReportKind::Changes { Action::ReadEvents } else { Action::ReadChart };
    let access = access::enter(tx, cx, book, action)?;
    begin(tx, cx, access, kind, texts)
}

/// Reads the parameters and loads the chart of a book that the caller may read.
///
/// # Errors
/// Refusals of the parameters (behaviour 13.2).
pub(super) fn begin(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: Access,
    kind: ReportKind,
    texts: &ParameterTexts,
) -> Result<Entered> {
    let today = cx.today(access.book());
    let request = texts.parameters().read(kind, &access.book().settings, today)?;
    let chart = Chart::load(tx, access)?;
    let scope = request.scope(&chart.as_domain())?;
    let head = event_head(tx, &chart.access)?;
    // Changes list drafts like other transactions.
    let omitted_drafts = if kind == ReportKind::Changes {
        0
    } else {
        count_matches(tx, &chart.access, &request.omitted_drafts())?
    };
    let facts = Facts { omitted_drafts, head, computed_at: cx.now };
    let heading = request.heading(&chart.as_domain(), &scope, facts);
    Ok(Entered { chart, request, scope, heading })
}

/// Returns the last event of a book.
pub(crate) fn event_head(tx: &mut Tx<'_>, access: &Access) -> Result<Head> {
    let newest = tx.events().list(access, &EventFilter::default(), 1)?.rows.pop();
    let head = newest.map(|read| Head { sequence: read.event.sequence, hash: read.event.hash });
    Ok(head.unwrap_or_default())
}

impl Chart {
    pub(super) fn load(tx: &mut Tx<'_>, access: Access) -> Result<Self> {
        let (accounts, forest) = (tx.accounts().list(&access)?, load_forest(tx, &access)?);
        Ok(Self { access, accounts, forest })
    }

    pub(super) fn as_domain(&self) -> BookChart<'_> {
        let Self { access, accounts, forest } = self;
        BookChart { book: access.book(), accounts, forest }
    }

    pub(super) fn account_names(&self) -> HashMap<AccountId, &str> {
        self.accounts.iter().map(|account| (account.id, account.name.as_str())).collect()
    }

    pub(super) fn scale(&self) -> u32 {
        self.access.book().scale
    }

    pub(super) fn separator(&self) -> DecimalSeparator {
        self.access.book().settings.decimal_separator
    }
}
