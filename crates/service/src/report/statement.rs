//! Reports from totals: trial balance, balance sheet, income statement and cash flow.

use daybook_domain::access::Access;
use daybook_domain::balance::{PeriodTotal, Segment};
use daybook_domain::id::AccountId;
use daybook_domain::permission::Action;
use daybook_domain::report::{Inputs, PeriodSums, Plan, Read, Report, Source, cash_accounts};
use daybook_storage::Tx;
use daybook_storage::balance::{AccountScope, TotalsQuery};

use super::entered::{Chart, Entered};
use crate::access;
use crate::context::Context;
use crate::error::{Error, Result};

/// Computes a report.
///
/// # Errors
/// Refusals of the report; 403 or 404 for a book to compare with (behaviour 7.4).
pub(super) fn compute(tx: &mut Tx<'_>, cx: &Context, entered: Entered) -> Result<Report> {
    let Entered { chart, request, scope, heading } = entered;
    let compared = match request.compared_book() {
        Some(book) => {
            let access = access::enter(tx, cx, book.as_str(), Action::ReadChart)?;
            Some(Chart::load(tx, access)?)
        }
        None => None,
    };
    let plan = request.plan();
    let sums = read_sums(tx, &plan, &chart, compared.as_ref())?;
    let inputs = Inputs {
        chart: chart.as_domain(),
        compared: compared.as_ref().map(Chart::as_domain),
        scope: &scope,
        sums: &sums,
    };
    request.finish(heading, &inputs).ok_or(Error::NotFound("report"))
}

/// Reads the totals of a plan.
pub(super) fn read_sums(
    tx: &mut Tx<'_>,
    plan: &Plan,
    chart: &Chart,
    compared: Option<&Chart>,
) -> Result<PeriodSums> {
    let (segments, mut sums) = (plan.segments(), plan.start());
    for (index, Read { source, tags }) in plan.reads().iter().enumerate() {
        let visit = |total: PeriodTotal| sums.add(index, &total);
        match source {
            Source::Book => read_totals(tx, &chart.access, &segments, tags, visit)?,
            Source::ComparedBook => {
                if let Some(Chart { access, .. }) = compared {
                    read_totals(tx, access, &segments, tags, visit)?;
                }
            }
            Source::CashCounterparts => {
                let cash: Vec<AccountId> = cash_accounts(&chart.as_domain())?.into_iter().collect();
                let unfolded: Vec<Segment> =
                    segments.iter().filter(|segment| !segment.fold).copied().collect();
                let balances = tx.balances();
                balances.read_counterparts(&chart.access, &unfolded, &cash, tags, visit)?;
            }
        }
    }
    Ok(sums)
}

fn read_totals(
    tx: &mut Tx<'_>,
    access: &Access,
    segments: &[Segment],
    tags: &[String],
    visit: impl FnMut(PeriodTotal),
) -> Result<()> {
    let query = TotalsQuery { scope: AccountScope::Book, tags, by_month: true };
    Ok(tx.balances().read_each(access, segments, &query, visit)?)
}
