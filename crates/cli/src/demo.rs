//! `dbk demo`: a household of two years, to look at.

use clap::Args;
use daybook_client::types::{Account, AccountType, Book, Group, Transaction};
use daybook_client::{Amount, Date};

use crate::failure::Result;
use crate::output::counted;
use crate::session::{Session, choice};

/// The options of `dbk demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Name of the book
    #[arg(default_value = "Demo household")]
    name: String,
    /// Show what would be made, and make nothing
    #[arg(long)]
    dry_run: bool,
}

/// Accounts with their types and groups.
const ACCOUNTS: [(&str, AccountType, &str); 14] = [
    ("Checking", AccountType::Asset, "Cash and bank"),
    ("Savings", AccountType::Asset, "Cash and bank"),
    ("Cash", AccountType::Asset, "Cash and bank"),
    ("Credit card", AccountType::Liability, "Debts"),
    ("Opening balances", AccountType::Liability, ""),
    ("Salary", AccountType::Incoming, "Income"),
    ("Interest", AccountType::Incoming, "Income"),
    ("Rent", AccountType::Outgoing, "Home"),
    ("Electricity", AccountType::Outgoing, "Home"),
    ("Groceries", AccountType::Outgoing, "Daily life"),
    ("Eating out", AccountType::Outgoing, "Daily life"),
    ("Transport", AccountType::Outgoing, "Daily life"),
    ("Holidays", AccountType::Outgoing, "Leisure"),
    ("Books and music", AccountType::Outgoing, "Leisure"),
];

/// Makes the book, and uses it.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn run(session: &Session, args: DemoArgs) -> Result {
    let year = match session.globals.today {
        Some(today) => today,
        None => crate::clock::today_in("UTC"),
    }
    .year();
    let rows = household(year.saturating_sub(2), year);
    let (name, count) = (args.name, counted(rows.len(), "transaction"));
    if args.dry_run {
        return session.output.line(&format!("would make {name:?} with {count}"));
    }
    let groups: std::collections::BTreeSet<&str> =
        ACCOUNTS.iter().map(|(_, _, group)| *group).filter(|group| !group.is_empty()).collect();
    let accounts = ACCOUNTS.map(|(name, kind, group)| Account {
        groups: (!group.is_empty()).then(|| vec![named(group)]),
        ..Account::named(name, kind)
    });
    let made = session.client.create_new_book(
        &Book {
            name: Some(name.clone()),
            groups: Some(groups.into_iter().map(named).collect()),
            accounts: Some(accounts.to_vec()),
            ..Book::default()
        },
        &Default::default(),
    );
    let made = made.await?.value;
    let choice = choice(&made);
    let id = choice.id.clone();
    let mut progress = session.output.progress("transactions");
    let mut batch = session.client.book(&id).create_transactions(rows)?;
    while let Some(part) = batch.next().await {
        part?;
        progress.set_count(batch.sent(), batch.total());
    }
    drop(progress);
    session.file.change(&session.server, |entry| entry.book = Some(choice))?;
    session.output.line(&format!("made {name:?} with {count}, and using it"))?;
    let (last, before) = (year.saturating_sub(1), year.saturating_sub(2));
    let reports = format!("dbk is -p {last} --compare {before}");
    session.output.say(&format!("next: dbk bal, {reports}, dbk reg Checking"));
    session.output.say(&format!("undo: dbk api DELETE /v5/books/{id}"));
    Ok(())
}

fn named(group: &str) -> Group {
    // The cash flow is that of the accounts below this group.
    let is_cash = group == "Cash and bank";
    let properties = is_cash.then(|| [("report".to_owned(), Some("cash".to_owned()))].into());
    Group { name: Some(group.to_owned()), properties, ..Group::default() }
}

/// A generator of numbers that are the same each time (splitmix64, Steele et al. 2014).
struct Numbers(u64);

impl Numbers {
    /// Returns a number from `from` to below `to`.
    fn between(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let span = to.saturating_sub(from).max(1);
        (mixed ^ (mixed >> 31)).checked_rem(span).unwrap_or_default().saturating_add(from)
    }
}

/// The transactions of a household, which grow.
struct Household {
    rows: Vec<Transaction>,
    year: u16,
    month: u8,
}

impl Household {
    fn add(&mut self, day: u64, cents: u64, sides: (&str, &str), description: &str) {
        let day = u8::try_from(day).unwrap_or(1);
        let Ok(date) = Date::new(self.year, self.month, day) else { return };
        let row = Transaction::between(sides.0, sides.1, date, Amount::new(i128::from(cents), 2));
        self.rows.push(Transaction { description: description.into(), ..row });
    }

    /// Adds a month.
    fn add_month(&mut self, numbers: &mut Numbers) {
        let card = ["Credit card", "Checking", "Cash"];
        self.add(1, 95_000, ("Checking", "Rent"), "Rent #home");
        self.add(3, numbers.between(4_200, 9_800), ("Checking", "Electricity"), "City power #home");
        self.add(25, 312_000, ("Salary", "Checking"), "Salary");
        self.add(26, 30_000, ("Checking", "Savings"), "Savings plan");
        self.add(5, 20_000, ("Checking", "Cash"), "Cash machine");
        for week in 0..4_u64 {
            let day = week.saturating_mul(7).saturating_add(numbers.between(1, 7));
            let amount = numbers.between(3_500, 11_000);
            self.add(day, amount, ("Credit card", "Groceries"), "Corner shop");
            let amount = numbers.between(900, 4_500);
            let from = usize::try_from(numbers.between(0, 3)).unwrap_or_default();
            let from = card.get(from).copied().unwrap_or("Cash");
            self.add(day.saturating_add(1), amount, (from, "Eating out"), "Lunch #canteen");
        }
        self.add(2, 6_900, ("Credit card", "Transport"), "Monthly ticket #train");
        let (day, amount) = (numbers.between(8, 28), numbers.between(800, 3_900));
        self.add(day, amount, ("Credit card", "Books and music"), "Bookshop");
        if matches!(self.month, 4 | 8) {
            let amount = numbers.between(40_000, 120_000);
            self.add(14, amount, ("Credit card", "Holidays"), "A week by the sea #holiday");
        }
        if matches!(self.month, 3 | 6 | 9 | 12) {
            self.add(28, numbers.between(1_100, 2_600), ("Interest", "Savings"), "Interest");
        }
        self.add(28, 45_000, ("Checking", "Credit card"), "Card statement");
    }
}

/// Returns the transactions of the years from `first` to before `end`.
fn household(first: u16, end: u16) -> Vec<Transaction> {
    let mut numbers = Numbers(2026);
    let mut household = Household { rows: Vec::new(), year: first, month: 1 };
    household.add(1, 240_000, ("Opening balances", "Checking"), "Opening balance");
    household.add(1, 800_000, ("Opening balances", "Savings"), "Opening balance");
    for year in first..end {
        for month in 1..=12 {
            (household.year, household.month) = (year, month);
            household.add_month(&mut numbers);
        }
    }
    household.rows
}

#[cfg(test)]
mod tests {
    use super::household;

    #[test]
    fn household_is_the_same_each_time() {
        let rows = household(2024, 2026);
        assert_eq!(rows, household(2024, 2026));
        assert!(rows.len() > 350, "{}", rows.len());
        assert!(rows.iter().all(|row| row.amount.get().is_some() && row.date.get().is_some()));
    }
}
