//! Rules for files that come without rules, from the names of their columns.

use super::programs;
use super::scan::{Row, Scanner};
use crate::read::rules::Rules;

/// The rows in which a header is searched for.
const MAX_HEADER_ROWS: usize = 60;

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Date,
    ValueDate,
    Amount,
    In,
    Out,
    Balance,
    Currency,
    Description,
    Payee,
    Reference,
    Id,
    Counterparty,
    Status,
    /// `D` or `C`, where the amount has no sign.
    Direction,
}

/// The names of columns in lower case, separated by `|`; the first role that has a name counts.
const NAMES: [(Role, &str); 14] = [
    (
        Role::ValueDate,
        "value date|valuedate|valuta|valutadatum|wertstellung|wertstellungstag|date de valeur|\
         fecha valor|data valuta|rentedatum|date valeur|data-valor|räntedag",
    ),
    (
        Role::Date,
        "date|transaction date|transaction_date|trans date|trans. date|posting date|posted date|\
         post date|posted|booking date|booked|bookdate|completed date|started date|datum|\
         buchungstag|buchungsdatum|buchung|belegdatum|transaktionsdatum|fecha|fecha operación|\
         fecha de operación|fecha operacion|fecha contable|date opération|\
         date de l'opération|date operation|date comptable|dateop|data|data operazione|\
         data contabile|data movimento|boekdatum|boekingsdatum|transactiedatum|data operacji|\
         data transakcji|data księgowania|dato|bokføringsdato|bogføringsdato|\
         bokföringsdag|bokföringsdatum|kirjauspäivä|päivämäärä",
    ),
    (
        Role::In,
        "credit|credits|credit amount|deposit|deposits|paid in|money in|haben|gutschrift|\
         gutschriften|einnahmen|crédit|abono|abonos|haber|ingresos|entrate|accrediti|\
         inflow|amount in|bij|wpływy|ind|inn",
    ),
    (
        Role::Out,
        "debit|debits|debit amount|withdrawal|withdrawals|paid out|money out|soll|lastschrift|\
         lastschriften|ausgaben|belastung|débit|cargo|cargos|debe|gastos|uscite|addebiti|\
         outflow|amount out|af|wydatki|ud|ut",
    ),
    (
        Role::Direction,
        "credit/debit|debit/credit|dr/cr|cr/dr|cr/dr indicator|credit debit indicator|\
         creditdebitindicator|soll/haben|s/h|af bij|af/bij|debet/credit|sens",
    ),
    (
        Role::Amount,
        "amount|transaction amount|amt|value|betrag|umsatz|importe|monto|montant|importo|bedrag|\
         transactiebedrag|kwota|kwota operacji|beløb|belopp|summa|määrä|valor|\
         betrag (eur)|amount (eur)|amount (usd)|amount (gbp)|bedrag (eur)",
    ),
    (
        Role::Balance,
        "balance|running balance|account balance|saldo|kontostand|solde|saldo disponible|\
         saldo na mutatie|saldo po operacji|saldo nach buchung|bal|saldo contabile",
    ),
    (
        Role::Currency,
        "currency|currency code|währung|waehrung|devise|divisa|moneda|valuta code|muntsoort|\
         waluta|moeda|valutakode",
    ),
    (
        Role::Payee,
        "payee|name|merchant|merchant name|counterparty|counterparty name|beneficiary|empfänger|\
         auftraggeber/empfänger|beguenstigter/zahlungspflichtiger|begünstigter|\
         name zahlungsbeteiligter|zahlungsempfänger|auftraggeber|bénéficiaire|\
         naam tegenpartij|naam / omschrijving|nadawca / odbiorca|mottaker|modtager",
    ),
    (
        Role::Description,
        "description|transaction description|details|narrative|memo|text|notes|particulars|\
         transaction|buchungstext|verwendungszweck|beschreibung|libellé|libelle|concepto|\
         descripción|descripcion|descrizione|causale|omschrijving|mededelingen|opis|tytuł|\
         tytuł operacji|tekst|beskrivelse|selite|histórico|descrição",
    ),
    (
        Role::Reference,
        "reference|ref|check|check number|cheque number|cheque no|check no|kundenreferenz|referenz|\
         référence|referencia|riferimento|kenmerk|viite",
    ),
    (
        Role::Id,
        "id|transaction id|transaction_id|fitid|unique id|transactionid|reference number|\
         numer transakcji|transaktions-id",
    ),
    (
        Role::Counterparty,
        "counterparty account|counterparty iban|account number of counterparty|iban gegenkonto|\
         iban zahlungsbeteiligter|kontonummer/iban|tegenrekening|tegenrekening iban/bban|iban|\
         numer rachunku nadawcy / odbiorcy",
    ),
    (Role::Status, "status|state|buchungsstatus|état|estado|stato"),
];

/// Words in the first cell of a line of totals.
const TOTALS: [&str; 16] = [
    "saldo",
    "endsaldo",
    "kontostand",
    "schlusssaldo",
    "neuer saldo",
    "total",
    "totals",
    "summe",
    "closing balance",
    "ending balance",
    "balance",
    "solde",
    "saldo final",
    "saldo finale",
    "eindsaldo",
    "saldo końcowe",
];

/// Words in the first cell of a line that states the opening balance.
const OPENINGS: [&str; 10] = [
    "opening balance",
    "beginning balance",
    "balance brought forward",
    "anfangssaldo",
    "alter saldo",
    "saldo inicial",
    "saldo iniziale",
    "solde initial",
    "beginsaldo",
    "balance b/f",
];

/// Words in the first cell of a line that names the account, before the header.
const ACCOUNTS: [&str; 12] = [
    "account",
    "account number",
    "account no",
    "konto",
    "kontonummer",
    "iban",
    "compte",
    "cuenta",
    "conto",
    "rekening",
    "numer rachunku",
    "konto nr",
];

/// Rules that fit a header.
pub(crate) struct Proposal {
    /// The content of a rules file.
    pub(crate) rules: String,
    /// The program that the file is from.
    pub(crate) program: Option<&'static str>,
}

/// Returns the rules that fit the header of a file; `None` without a header.
///
/// The file needs a column with a date, and one with an amount or two with amounts in and out.
pub(crate) fn propose(mut scanner: Scanner<'_>) -> Option<Proposal> {
    let separator = scanner.stated_separator();
    let rows = std::iter::from_fn(|| scanner.next_row()).take(MAX_HEADER_ROWS);
    rows.flatten().find_map(|row| {
        of_program(&row, separator).or_else(|| {
            let rules = rules_for(&row, separator)?;
            Some(Proposal { rules, program: None })
        })
    })
}

/// Returns the rules that name a header, and the separator unless the file is a table.
fn head(header: &Row<'_>, separator: Option<char>) -> String {
    let separator = separator.map(|separator| match separator {
        '\t' => "separator TAB\n".to_owned(),
        _ => format!("separator {separator}\n"),
    });
    let cells: Vec<String> = header.cells().map(|cell| clean(cell).trim().to_owned()).collect();
    format!("{}header {}\n", separator.unwrap_or_default(), cells.join(","))
}

fn of_program(header: &Row<'_>, separator: Option<char>) -> Option<Proposal> {
    let columns: Vec<String> = header.cells().map(programs::column_name).collect();
    let program = programs::find(&columns)?;
    let (head, fields) = (head(header, separator), columns.join(", "));
    let rules = format!("{head}fields {fields}\n{}", program.rules(&columns));
    Some(Proposal { rules, program: Some(program.name) })
}

fn rules_for(header: &Row<'_>, separator: Option<char>) -> Option<String> {
    let roles: Vec<Option<Role>> = header.cells().map(role).collect();
    let first = |role| roles.iter().position(|found| *found == Some(role));
    let date = first(Role::Date).or_else(|| first(Role::ValueDate))?;
    let has_two = first(Role::In).is_some() && first(Role::Out).is_some();
    if first(Role::Amount).is_none() && !has_two {
        return None;
    }
    let mut names = Vec::new();
    let mut descriptions = Vec::new();
    for (index, found) in roles.iter().enumerate() {
        let is_first = found.is_some_and(|role| first(role) == Some(index));
        let own = format!("column{}", index + 1);
        names.push(match found {
            _ if index == date => "date".to_owned(),
            Some(Role::ValueDate) if is_first => "date2".to_owned(),
            Some(Role::Amount) if is_first => "amount".to_owned(),
            // With an amount, columns such as `debit` repeat it.
            Some(Role::In) if is_first && first(Role::Amount).is_none() => "amount-in".to_owned(),
            Some(Role::Out) if is_first && first(Role::Amount).is_none() => "amount-out".to_owned(),
            Some(Role::Balance) if is_first => "balance".to_owned(),
            Some(Role::Currency) if is_first => "currency".to_owned(),
            Some(Role::Payee) if is_first => "payee".to_owned(),
            Some(Role::Reference) if is_first => "code".to_owned(),
            Some(Role::Id) if is_first => "id".to_owned(),
            Some(Role::Counterparty) if is_first => "counterparty".to_owned(),
            Some(Role::Status) if is_first => "state".to_owned(),
            Some(Role::Direction) if is_first => "direction".to_owned(),
            Some(Role::Description | Role::Payee) => {
                descriptions.push(format!("%{own}"));
                own
            }
            _ => own,
        });
    }
    if first(Role::Payee).is_some() {
        descriptions.insert(0, "%payee".to_owned());
    }
    let mut rules = head(header, separator);
    let mut line = |text: String| {
        rules.push_str(&text);
        rules.push('\n');
    };
    line(format!("fields {}", names.join(", ")));
    if !descriptions.is_empty() {
        line(format!("description {}", descriptions.join(" ")));
    }
    if first(Role::Direction).is_some() && first(Role::Amount).is_some() {
        let outgoing = "^(d|dr|debit|dbit|s|soll|af|debet)$";
        line(format!("if %direction {outgoing}\n  amount -%amount"));
    }
    if first(Role::Status).is_some() {
        line(
            "if %state ^(pending|vorgemerkt|en attente|pendiente|reserved)$\n  status !".to_owned(),
        );
    }
    Some(rules)
}

fn role(name: &str) -> Option<Role> {
    let name = name.trim_matches(['"', '\'', ':', '*', ' ']).to_lowercase();
    let has_name = |names: &str| names.split('|').any(|known| known == name);
    NAMES.into_iter().find(|(_, names)| has_name(names)).map(|(role, _)| role)
}

/// The meaning of a line without a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    Opening,
    Total,
}

/// Recognizes a line of totals by its first cell.
pub(crate) fn note(row: &Row<'_>) -> Option<Note> {
    let first = row.cells().find(|cell| !cell.is_empty())?.trim_end_matches(':').to_lowercase();
    if OPENINGS.contains(&first.as_str()) {
        Some(Note::Opening)
    } else if TOTALS.contains(&first.as_str()) {
        Some(Note::Total)
    } else {
        None
    }
}

/// Returns the account that a line before the header names.
pub(crate) fn account_name<'a>(row: &'a Row<'_>) -> Option<&'a str> {
    let label = row.cell(0).trim_end_matches(':').to_lowercase();
    let value = row.cells().skip(1).find(|cell| !cell.is_empty())?;
    ACCOUNTS.contains(&label.as_str()).then_some(value)
}

pub(crate) fn is_header(row: &Row<'_>, rules: &Rules) -> bool {
    let Some(names) = &rules.header else { return false };
    let is_same =
        |(name, cell): (&String, &str)| name.trim().eq_ignore_ascii_case(clean(cell).trim());
    names.len() <= row.len() && names.iter().zip(row.cells()).all(is_same)
}

/// Returns the name of a column as it is in a `header` rule.
fn clean(cell: &str) -> String {
    cell.replace(['"', '\n', ','], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn propose(text: &str, separator: char) -> Option<String> {
        super::propose(Scanner::new(text, separator)).map(|proposal| proposal.rules)
    }

    #[test]
    fn rules_are_proposed_from_headers() {
        let text = "Umsaetze;\nKonto;1234\n\nBuchungstag;Valuta;Text;Betrag;Saldo\n1;2;3;4;5\n";
        let expected = "separator ;\nheader Buchungstag,Valuta,Text,Betrag,Saldo\n\
                        fields date, date2, column3, amount, balance\ndescription %column3\n";
        assert_eq!(propose(text, ';').as_deref(), Some(expected));
        let two = propose("Date,Payee,Debit,Credit\n", ',').unwrap();
        assert!(two.contains("fields date, payee, amount-out, amount-in\n"), "{two}");
        let signed = propose("Date,Amount,Dr/Cr,State\n", ',').unwrap();
        assert!(signed.contains("if %direction "), "{signed}");
        assert!(signed.contains("  status !"), "{signed}");
        for text in ["", "a,b\n1,2\n", "Date,Text\n", "Amount,Text\n", "Date,Debit\n"] {
            assert_eq!(propose(text, ','), None, "{text:?}");
        }
    }

    #[test]
    fn proposed_rules_are_valid() {
        for (_, names) in NAMES {
            for name in names.split('|') {
                let text = format!("\"{name}\",Datum,Amount,Débit,Credit\n");
                let rules = propose(&text, ',').unwrap();
                let parsed = crate::read::rules::parse(&rules, &|_| None);
                assert!(parsed.is_ok(), "{rules}");
            }
        }
    }
}
