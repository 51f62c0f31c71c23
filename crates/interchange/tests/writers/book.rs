//! Books to write.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use daybook_domain::account::{self, Account, AccountType};
use daybook_domain::amount::Amount;
use daybook_domain::book::{self, Book, Settings};
use daybook_domain::calendar::parse_iso;
use daybook_domain::event::{Hash, Head};
use daybook_domain::file::{AttachedFile, Content, File, FileSecret, FilesById, NewFile};
use daybook_domain::group::{self, Forest, Group};
use daybook_domain::id::{AccountId, BookId, BookKey, FileId, GroupId, TransactionId, UserId};
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::property::Properties;
use daybook_domain::report::Class;
use daybook_domain::transaction::{Standing, Transaction};
use daybook_interchange::write::{self, Balances, Error, Export, Format, Record};
use time::{Date, Duration};

/// Texts that mean something to the programs that read the files.
const TEXTS: [&str; 16] = [
    "Corner Shop",
    "Corner Shop | weekly shopping #food #trip_1",
    "* starred",
    "(paid) twice",
    "a; b  c",
    "\"quoted\" \\ back",
    "first\nsecond\ttabbed",
    "=1+1",
    "Ünïcode 字 #été",
    "",
    "date:2020-01-01, [2020-01-01]",
    "! pending",
    "x @ 5 EUR",
    "@home",
    "2026-01-01",
    "end comment",
];

/// The names of groups, and the position of their parents.
const GROUPS: [(&str, Option<usize>); 7] = [
    ("Assets", None),
    ("Cash & bank", Some(0)),
    ("Equity", None),
    ("Expenses", None),
    ("Expenses:Food", Some(3)),
    ("Owner; (me)", None),
    ("Umsätze", None),
];

/// The accounts, with their types and the positions of their groups.
const ACCOUNTS: [(&str, AccountType, &[usize]); 14] = [
    ("Bank", AccountType::Asset, &[1]),
    ("(Old) bank", AccountType::Asset, &[1, 5]),
    ("Receivables", AccountType::Asset, &[]),
    ("* Loan; car", AccountType::Liability, &[]),
    ("Capital", AccountType::Liability, &[2]),
    ("Opening balances", AccountType::Liability, &[]),
    ("Expenses:Food:Groceries", AccountType::Outgoing, &[4]),
    ("Expenses:Food", AccountType::Outgoing, &[4]),
    ("Rent", AccountType::Outgoing, &[3]),
    ("字", AccountType::Outgoing, &[3]),
    ("Löhne", AccountType::Incoming, &[6]),
    ("Lohne\u{301}", AccountType::Incoming, &[6]),
    ("Interest: bank", AccountType::Incoming, &[]),
    ("Unused", AccountType::Asset, &[0]),
];

/// A book with everything that an export has.
pub(crate) struct Fixture {
    pub(crate) book: Book,
    pub(crate) accounts: Vec<Account>,
    pub(crate) forest: Forest,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) files: Vec<File>,
}

/// Amounts by account and month, as debits minus credits.
pub(crate) type Sums = BTreeMap<(AccountId, (i32, u8)), i128>;

/// Numbers that are the same in each run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::try_from(self.below(u64::try_from(items.len()).unwrap())).unwrap()]
    }
}

pub(crate) fn day(text: &str) -> Date {
    parse_iso(text).unwrap()
}

pub(crate) fn stamp() -> Stamp {
    Stamp::new(None, Instant::new(1_793_466_309_007))
}

/// Creates a posted transaction of 42.50 without accounts.
pub(crate) fn transaction(id: i64, date: Date) -> Transaction {
    Transaction {
        id: TransactionId::new(id),
        date: Some(date),
        list_day: date,
        amount: Amount::from_units(42_50, 2),
        description: String::new(),
        credit: None,
        debit: None,
        standing: Standing::Unchecked,
        trashed: false,
        posted_at: Some(Instant::new(0)),
        properties: Properties::default(),
        urls: Vec::new(),
        remote_ids: Vec::new(),
        files: Vec::new(),
        comment_count: 0,
        created_by: UserId::new(1),
        stamp: stamp(),
    }
}

pub(crate) fn file(id: i64, name: &str) -> File {
    let new =
        NewFile { id: FileId::new(id), token: String::new(), by: UserId::new(1), stamp: stamp() };
    let content = Content { blob: String::new(), size: 7, digest: "0a".repeat(32) };
    let changes = daybook_domain::file::Changes {
        name: Some(name.to_owned()),
        ..daybook_domain::file::Changes::default()
    };
    File::create(new, changes, content).unwrap()
}

impl Fixture {
    /// Creates a book with this currency and number of decimals, without transactions.
    pub(crate) fn empty(currency: Option<&str>, digits: u32) -> Fixture {
        let mut properties = BTreeMap::new();
        properties.extend(currency.map(|code| ("currency".to_owned(), Some(code.to_owned()))));
        let changes = book::Changes {
            name: Some("Müller & \"Sons\"".to_owned()),
            fraction_digits: Some(i64::from(digits)),
            properties,
            ..book::Changes::default()
        };
        let book = Book {
            id: BookId::new(1),
            key: BookKey::new("0192f5c0a1b27c3d8e4f5a6b7c8d9e0f".to_owned()),
            owner_name: "ada".to_owned(),
            settings: Settings::create(changes).unwrap(),
            scale: digits + 1,
            file_secret: FileSecret::default(),
            stamp: stamp(),
        };
        let group_id = |position: usize| GroupId::new(i64::try_from(position).unwrap() + 101);
        let groups: Vec<Group> = (0..)
            .zip(GROUPS)
            .map(|(position, (name, parent))| {
                let changes = group::Changes { name: Some(name.to_owned()), ..Default::default() };
                let group = Group::create(group_id(position), changes, stamp()).unwrap();
                let cash = [("report".to_owned(), "cash".to_owned())];
                let properties = if position == 1 { cash.into() } else { BTreeMap::new() };
                Group {
                    parent: parent.map(group_id),
                    properties: Properties::stored(properties),
                    ..group
                }
            })
            .collect();
        let accounts: Vec<Account> = (201..)
            .zip(ACCOUNTS)
            .map(|(id, (name, kind, groups))| {
                let changes = account::Changes {
                    name: Some(name.to_owned()),
                    kind: Some(kind),
                    ..account::Changes::default()
                };
                let (none, precision) = (BTreeSet::new(), book.precision());
                let account =
                    Account::create(AccountId::new(id), changes, &none, precision, stamp())
                        .unwrap();
                Account {
                    groups: groups.iter().map(|position| group_id(*position)).collect(),
                    ..account
                }
            })
            .collect();
        let members = accounts
            .iter()
            .flat_map(|account| account.groups.iter().map(|group| (*group, account.kind)));
        let forest = Forest::new(groups, members);
        Fixture { book, accounts, forest, transactions: Vec::new(), files: Vec::new() }
    }

    /// Creates a book of random transactions: postings, entries of several legs, drafts and trash.
    pub(crate) fn random(seed: u64, currency: Option<&str>, digits: u32) -> Fixture {
        let mut fixture = Self::empty(currency, digits);
        let mut numbers = Numbers(seed);
        let used = &fixture.accounts[..fixture.accounts.len() - 1];
        let ids: Vec<AccountId> = used.iter().map(|account| account.id).collect();
        let mut date = day("2024-11-20");
        let mut id = 1_000;
        for number in 0..300 {
            date += Duration::days(i64::try_from(numbers.below(4)).unwrap() / 2);
            let legs = if numbers.below(4) == 0 { 1 + numbers.below(4) } else { 1 };
            let standing =
                numbers.one_of(&[Standing::Unchecked, Standing::Checked, Standing::Unchecked]);
            let description = numbers.one_of(&TEXTS).to_owned();
            for leg in 0..legs {
                id += 1;
                let credit = numbers.one_of(&ids);
                let others: Vec<AccountId> =
                    ids.iter().copied().filter(|id| *id != credit).collect();
                let units = i64::try_from(1 + numbers.below(1_000_000)).unwrap();
                let mut one = Transaction {
                    amount: Amount::from_units(units, fixture.book.scale),
                    description: description.clone(),
                    credit: Some(credit),
                    debit: Some(numbers.one_of(&others)),
                    standing,
                    ..transaction(id, date)
                };
                let mut properties: BTreeMap<String, String> = BTreeMap::new();
                if legs > 1 {
                    properties.insert("entry_id".to_owned(), format!("e{number}"));
                }
                if numbers.below(4) == 0 {
                    let value = numbers.one_of(&TEXTS);
                    let key = numbers.one_of(&[
                        "code",
                        "comment",
                        "tag_trip",
                        "x",
                        "straße: 1",
                        "filename",
                    ]);
                    if !value.is_empty() {
                        properties.insert(key.to_owned(), value.to_owned());
                    }
                    one.remote_ids = vec![format!("bank:{number}:{leg}"), "ü, 1".to_owned()];
                    one.urls = vec!["https://a.example/?a=1,2;3".to_owned()];
                }
                one.properties = Properties::stored(properties);
                match numbers.below(12) {
                    0 => {
                        one.standing = Standing::Draft;
                        one.debit = None;
                    }
                    1 => one.trashed = true,
                    2 => {
                        let name = format!("receipt {id}.pdf");
                        fixture.files.push(file(id, &name));
                        one.files = vec![FileId::new(id)];
                    }
                    _ => {}
                }
                fixture.transactions.push(one);
            }
        }
        fixture
    }

    /// Writes the book.
    pub(crate) fn write(&self, format: Format) -> Vec<u8> {
        self.try_write(format).unwrap()
    }

    pub(crate) fn try_write(&self, format: Format) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        let export = self.export();
        let mut writer = write::begin(format, &export, &mut out);
        let files = FilesById::new(self.files.iter().map(AttachedFile::from).collect());
        for transaction in &self.transactions {
            for id in &transaction.files {
                let file = self.files.iter().find(|file| file.id == *id).unwrap();
                writer.file(&mut out, file, "ada", None);
            }
            writer.transaction(&mut out, &Record { transaction, creator: "ada", files: &files })?;
        }
        writer.finish(&mut out, Some(&self.balances()))?;
        Ok(out)
    }

    pub(crate) fn export(&self) -> Export<'_> {
        Export {
            book: &self.book,
            accounts: &self.accounts,
            forest: &self.forest,
            query: None,
            exported_at: Instant::new(1_793_466_309_007),
            head: Head { sequence: 57, hash: Hash::of(b"57") },
        }
    }

    /// Sums the posted transactions by account and month.
    pub(crate) fn sums(&self) -> Sums {
        let mut sums = Sums::new();
        for entry in self.transactions.iter().flat_map(Transaction::entries) {
            let units = i128::from(entry.amount.units(self.book.scale).unwrap());
            let month = (entry.day.year(), u8::from(entry.day.month()));
            let sum = sums.entry((entry.account, month)).or_default();
            *sum += if entry.credit { -units } else { units };
        }
        sums.retain(|_, sum| *sum != 0);
        sums
    }

    fn balances(&self) -> Balances {
        let mut balances: HashMap<AccountId, i128> =
            self.accounts.iter().map(|account| (account.id, 0)).collect();
        for ((account, _), units) in self.sums() {
            *balances.entry(account).or_default() += units;
        }
        balances
    }

    pub(crate) fn classes(&self) -> HashMap<AccountId, (Class, bool)> {
        let places = daybook_domain::report::account_places(&self.accounts, &self.forest);
        places.map(|(account, place)| (account.id, (place.class, place.is_cash))).collect()
    }

    /// Reads a decimal, possibly with a commodity, in units of the scale.
    pub(crate) fn units(&self, text: &str) -> i128 {
        let number: String =
            text.chars().take_while(|c| matches!(c, '0'..='9' | '-' | '.')).collect();
        let (whole, decimals) = number.split_once('.').unwrap_or((&number, ""));
        let scale = usize::try_from(self.book.scale).unwrap();
        assert!(decimals.trim_end_matches('0').len() <= scale, "{text}");
        let digits = format!("{whole}{decimals:0<scale$}");
        let digits = &digits[..whole.len() + scale];
        digits.parse().unwrap_or_else(|_| panic!("an amount: {text}"))
    }
}
