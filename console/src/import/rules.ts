/** Text of rules files (docs/import-rules.md): what a correction offers, and a beginning for a file without rules. */

/** The property of a file with the rules of an account: the id of the account (behaviour 15.3). */
export const RULES_PROPERTY = 'import_rules';

const MAX_WORDS = 3;

/**
 * The words that rules look for in records like this one: the longest run of words without digits, at most
 * three. Numbers and dates differ from record to record. '' if there are none.
 */
export function patternOf(description: string): string {
  const runs: string[][] = [[]];
  for (const word of description.replace(/#[\p{L}\p{N}_]+/gu, ' ').split(/[\s,;:*/|]+/)) {
    if (/^[\p{L}\p{M}'&.-]+$/u.test(word) && /\p{L}{2}/u.test(word)) runs.at(-1)!.push(word);
    else if (word) runs.push([]);
  }
  const best = runs.reduce((left, right) => (right.join(' ').length > left.join(' ').length ? right : left));
  return best.slice(0, MAX_WORDS).join(' ').toLowerCase();
}

/** Characters with a meaning in patterns are taken as they are. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A rule that gives records like this one the account; '' if the description has no words. */
export function ruleFor(description: string, account: string): string {
  const pattern = patternOf(description);
  return pattern && account ? `if ${escapePattern(pattern)}\n  account2 ${account}\n` : '';
}

/** Adds a rule at the end, where it overrides those before it. A rule that is there already is not repeated. */
export function appendRule(rules: string, rule: string): string {
  if (!rule || rules.includes(rule.trim())) return rules;
  return rules.trim() ? `${rules.trimEnd()}\n\n${rule}` : rule;
}

const COLUMNS: readonly [target: string, names: RegExp][] = [
  ['date', /^(booking |transaction |posting )?date$|^(buchungs)?datum$|^buchungstag$|^fecha|^data$|^date (comptable|op)/],
  ['date2', /^value date$|^valuta(datum)?$|^wertstellung/],
  ['amount', /^amount|^betrag|^umsatz$|^importe$|^importo$|^montant$|^bedrag/],
  ['amount-out', /^debit|^withdrawal|^paid out|^soll$|^money out/],
  ['amount-in', /^credit|^deposit|^paid in|^haben$|^money in/],
  ['balance', /^balance|^saldo|^solde/],
  ['currency', /^currency|^währung|^waehrung|^devise$/],
  ['description', /^description|^text$|^buchungstext|^verwendungszweck|^details|^memo|^narrative|^concepto|^libell|^omschrijving/],
  ['payee', /^payee|^name$|^empf|^auftraggeber|^counterparty|^beg/],
];

/** The name of a column for the rule `fields`: a target where the header is known, else its words. */
function fieldOf(header: string, taken: Set<string>): string {
  const text = header.trim().toLowerCase();
  const target = COLUMNS.find(([name, names]) => !taken.has(name) && names.test(text))?.[0];
  const name = target ?? text.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
  if (!name || taken.has(name)) return '';
  taken.add(name);
  return name;
}

function cellsOf(line: string, separator: string): string[] {
  const cells = line.match(new RegExp(`("(?:[^"]|"")*"|[^${separator}"]*)(${separator}|$)`, 'g')) ?? [];
  return cells.map((cell) => cell.replace(new RegExp(`${separator}$`), '').replace(/^"|"$/g, '').trim());
}

/** A rules file for a table whose header is the first line with a date and an amount, or '' if none is. */
export function rulesFromTable(text: string, account: string): string {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/).slice(0, 40);
  for (const [index, line] of lines.entries()) {
    const separator = [';', '\t', ','].find((mark) => line.split(mark).length >= 3);
    if (!separator) continue;
    const taken = new Set<string>();
    const fields = cellsOf(line, separator).map((cell) => fieldOf(cell, taken));
    if (!taken.has('date') || !(taken.has('amount') || taken.has('amount-in') || taken.has('amount-out'))) continue;
    while (fields.at(-1) === '') fields.pop();
    return [
      `# Rules for ${account}`,
      `skip ${index + 1}`,
      ...(separator === ',' ? [] : [`separator ${separator === '\t' ? 'TAB' : separator}`]),
      `fields ${fields.join(', ')}`,
      '',
    ].join('\n');
  }
  return '';
}

/** The line that a message about a rules file names: `Bank.rules, line 5: ...`. */
export function lineOf(error: string): number | undefined {
  const line = /(?:^|[ ,])line (\d+)/.exec(error)?.[1];
  return line ? Number(line) : undefined;
}

/** Where a line begins and ends in a text, to show it in a text area. */
export function rangeOfLine(text: string, line: number): { readonly start: number; readonly end: number } {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return { start: Math.min(start, text.length), end: Math.min(start + (lines[line - 1]?.length ?? 0), text.length) };
}
