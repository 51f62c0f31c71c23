//! Short ways to make rows, and balances in people's signs.

use crate::amount::Amount;
use crate::date::Date;
use crate::types::{
    Account, AccountBalances, AccountType, Balance, Balances, EventData, GroupBalances, Transaction,
};

impl Transaction {
    /// Returns a transaction with only an id, for requests that read no more.
    ///
    /// ```
    /// use daybook_client::types::Transaction;
    ///
    /// assert_eq!(Transaction::with_id("7").id.as_deref(), Some("7"));
    /// ```
    #[must_use]
    pub fn with_id(id: &str) -> Self {
        Self { id: Some(id.to_owned()), ..Self::default() }
    }

    /// Returns a movement between two accounts, which are named by name or id.
    ///
    /// ```
    /// use daybook_client::{Amount, Date, types::Transaction};
    ///
    /// let date = Date::new(2026, 1, 5)?;
    /// let lunch = Transaction {
    ///     description: "Lunch #canteen".into(),
    ///     ..Transaction::between("Cash", "Food", date, Amount::new(1250, 2))
    /// };
    /// assert_eq!(lunch.amount.get().map(Amount::to_string).as_deref(), Some("12.50"));
    /// # Ok::<(), daybook_client::DateError>(())
    /// ```
    #[must_use]
    pub fn between(from: &str, to: &str, date: Date, amount: Amount) -> Self {
        Self {
            date: date.into(),
            amount: amount.into(),
            credit_account: Account::with_name(from).into(),
            debit_account: Account::with_name(to).into(),
            ..Self::default()
        }
    }
}

impl Account {
    /// Returns an account with only a name, for requests that refer to it.
    ///
    /// ```
    /// use daybook_client::types::Account;
    ///
    /// assert_eq!(Account::with_name("Cash").name.as_deref(), Some("Cash"));
    /// ```
    #[must_use]
    pub fn with_name(name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..Self::default() }
    }

    /// Returns a new account with a name and a type.
    ///
    /// ```
    /// use daybook_client::types::{Account, AccountType};
    ///
    /// assert_eq!(Account::named("Rent", AccountType::Outgoing).kind, Some(AccountType::Outgoing));
    /// ```
    #[must_use]
    pub fn named(name: &str, kind: AccountType) -> Self {
        Self { kind: Some(kind), ..Self::with_name(name) }
    }

    /// Returns the running balance of a row in people's sign.
    ///
    /// Lists of one permanent account have it (2.9). The sign is that of
    /// [`AccountBalances::cumulative`].
    ///
    /// ```
    /// use daybook_client::{Amount, types::Account};
    ///
    /// let cash = Account {
    ///     credit: Some(false),
    ///     balance: Some(Amount::new(-5, 0)),
    ///     ..Account::default()
    /// };
    /// assert_eq!(cash.running_balance(), Some(Amount::new(5, 0)));
    /// ```
    #[must_use]
    pub fn running_balance(&self) -> Option<Amount> {
        Some(signed(self.balance?, self.credit?))
    }
}

/// One slice of a series, in people's sign.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// let balances = client.book(&example.book).balances("account:Cash on:2026 by:m").await?;
/// for slice in balances.account("Cash").expect("an account").slices() {
///     println!("{}-{:02} {}", slice.year, slice.month.unwrap_or(0), slice.cumulative);
/// }
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The year.
    pub year: i32,
    /// The month; absent in yearly slices.
    pub month: Option<i32>,
    /// The day; absent in yearly and monthly slices.
    pub day: Option<i32>,
    /// The balance at the end of the slice.
    pub cumulative: Amount,
    /// The movement in the slice.
    pub period: Amount,
}

/// Returns credits minus debits in people's sign (4.24).
fn signed(raw: Amount, is_credit: bool) -> Amount {
    if is_credit { raw } else { -raw }
}

fn slice(balance: &Balance, is_credit: bool) -> Slice {
    let present = |number: i32| (number != 0).then_some(number);
    Slice {
        year: balance.year,
        month: present(balance.month),
        day: present(balance.day),
        cumulative: signed(balance.cumulative_balance, is_credit),
        period: signed(balance.period_balance, is_credit),
    }
}

impl AccountBalances {
    /// Returns the balance at the end of the range, in people's sign.
    ///
    /// That is debits minus credits for ASSET and OUTGOING, and credits minus debits for LIABILITY
    /// and INCOMING (4.24). Accounts that are not permanent begin with the range (5.5).
    ///
    /// ```
    /// use daybook_client::{Amount, types::AccountBalances};
    ///
    /// let cash = AccountBalances {
    ///     credit: false,
    ///     cumulative_balance: Amount::new(-100, 0),
    ///     ..AccountBalances::default()
    /// };
    /// assert_eq!(cash.cumulative(), Amount::new(100, 0));
    /// ```
    #[must_use]
    pub fn cumulative(&self) -> Amount {
        signed(self.cumulative_balance, self.credit)
    }

    /// Returns the movement in the range, in people's sign.
    ///
    /// ```
    /// use daybook_client::{Amount, types::AccountBalances};
    ///
    /// let salary = AccountBalances {
    ///     credit: true,
    ///     period_balance: Amount::new(100, 0),
    ///     ..AccountBalances::default()
    /// };
    /// assert_eq!(salary.period(), Amount::new(100, 0));
    /// ```
    #[must_use]
    pub fn period(&self) -> Amount {
        signed(self.period_balance, self.credit)
    }

    /// Returns the series in people's sign.
    ///
    /// ```
    /// assert_eq!(daybook_client::types::AccountBalances::default().slices().count(), 0);
    /// ```
    pub fn slices(&self) -> impl Iterator<Item = Slice> {
        self.balances.iter().map(|balance| slice(balance, self.credit))
    }
}

impl GroupBalances {
    /// Returns the balance at the end of the range, in people's sign.
    ///
    /// A group of several types counts as one of assets (5.4).
    ///
    /// ```
    /// use daybook_client::{Amount, types::GroupBalances};
    ///
    /// let mixed = GroupBalances {
    ///     credit: false,
    ///     cumulative_balance: Amount::new(-70, 0),
    ///     ..GroupBalances::default()
    /// };
    /// assert_eq!(mixed.cumulative(), Amount::new(70, 0));
    /// ```
    #[must_use]
    pub fn cumulative(&self) -> Amount {
        signed(self.cumulative_balance, self.credit)
    }

    /// Returns the movement in the range, in people's sign.
    ///
    /// ```
    /// use daybook_client::{Amount, types::GroupBalances};
    ///
    /// assert_eq!(GroupBalances::default().period(), Amount::ZERO);
    /// ```
    #[must_use]
    pub fn period(&self) -> Amount {
        signed(self.period_balance, self.credit)
    }

    /// Returns the series in people's sign.
    ///
    /// ```
    /// assert_eq!(daybook_client::types::GroupBalances::default().slices().count(), 0);
    /// ```
    pub fn slices(&self) -> impl Iterator<Item = Slice> {
        self.balances.iter().map(|balance| slice(balance, self.credit))
    }
}

impl Balances {
    /// Returns the balances of an account by its name: first at the top, then below the groups.
    ///
    /// ```
    /// use daybook_client::types::{AccountBalances, Balances};
    ///
    /// let cash = AccountBalances { name: "Cash".to_owned(), ..AccountBalances::default() };
    /// let balances = Balances { account_balances: Some(vec![cash]), ..Balances::default() };
    /// assert!(balances.account("Cash").is_some() && balances.account("Bank").is_none());
    /// ```
    #[must_use]
    pub fn account(&self, name: &str) -> Option<&AccountBalances> {
        let top = self.account_balances.iter().flatten().find(|account| account.name == name);
        top.or_else(|| {
            self.groups().into_iter().find_map(|group| {
                group.account_balances.iter().flatten().find(|account| account.name == name)
            })
        })
    }

    /// Returns the balances of a group by its name.
    ///
    /// ```
    /// use daybook_client::types::{Balances, GroupBalances};
    ///
    /// let assets = GroupBalances { name: "Assets".to_owned(), ..GroupBalances::default() };
    /// let balances = Balances { group_balances: Some(vec![assets]), ..Balances::default() };
    /// assert!(balances.group("Assets").is_some());
    /// ```
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&GroupBalances> {
        self.groups().into_iter().find(|group| group.name == name)
    }

    /// Returns all groups, each before those below it.
    ///
    /// ```
    /// assert!(daybook_client::types::Balances::default().groups().is_empty());
    /// ```
    #[must_use]
    pub fn groups(&self) -> Vec<&GroupBalances> {
        let mut open: Vec<&GroupBalances> = self.group_balances.iter().flatten().rev().collect();
        let mut found = Vec::new();
        while let Some(group) = open.pop() {
            found.push(group);
            open.extend(group.group_balances.iter().flatten().rev());
        }
        found
    }
}

impl EventData {
    /// Reads the changed resource as a type of [`types`](crate::types).
    ///
    /// Events of transactions have a
    /// [`TransactionOperation`](crate::types::TransactionOperation), all others their own resource
    /// (8.2).
    ///
    /// # Errors
    /// [`serde_json::Error`] if it has another shape.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::types::{Account, EventType};
    ///
    /// for event in client.book(&example.book).events(Default::default()).all().await? {
    ///     if event.kind == EventType::AccountCreated {
    ///         let account: Account = event.data.read()?;
    ///         println!("{} created {:?}", event.user.username, account.name);
    ///     }
    /// }
    /// # Ok(()) });
    /// ```
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.object)
    }
}
