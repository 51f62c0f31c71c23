/** Fields of the forms of a book, and their values as the API takes them. */
import type { Book } from '~/api/types';
import type { Choice } from '~/ui/fields/ChoiceField';

/** What a person edits about a book. Amount of decimals and months are texts, as form fields have them. */
export interface BookForm {
  readonly name: string;
  readonly currency: string;
  readonly fractionDigits: string;
  readonly decimalSeparator: string;
  readonly datePattern: string;
  readonly timeZone: string;
  readonly periodStartMonth: string;
  readonly lockDate: string;
  readonly closingDate: string;
}

export function toForm(book: Book): BookForm {
  return {
    name: book.name ?? '',
    currency: book.properties?.['currency'] ?? '',
    fractionDigits: String(book.fractionDigits ?? 2),
    decimalSeparator: book.decimalSeparator ?? 'DOT',
    datePattern: book.datePattern ?? 'dd/MM/yyyy',
    timeZone: book.timeZone ?? 'UTC',
    periodStartMonth: book.periodStartMonth ?? 'JANUARY',
    lockDate: book.lockDate ?? '',
    closingDate: book.closingDate ?? '',
  };
}

/** The body of a create or update with these fields only. An empty date or currency clears it. */
export function toBody(form: BookForm, fields: readonly (keyof BookForm)[]): Book {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    if (field === 'currency') body['properties'] = { currency: form.currency.trim() };
    else if (field === 'fractionDigits') body[field] = Number(form.fractionDigits);
    else body[field] = form[field].trim();
  }
  return body as Book;
}

/** What is wrong with a name, or undefined. */
export function nameError(name: string): string | undefined {
  const length = name.trim().length;
  if (length === 0) return 'Give it a name';
  return length > 255 ? 'At most 255 characters' : undefined;
}

export const DIGIT_CHOICES: readonly Choice[] = Array.from({ length: 9 }, (_, digits) => ({
  value: String(digits), label: digits === 0 ? '0 (1,234)' : `${digits} (1,234.${'5678901234'.slice(0, digits)})`,
}));

export const SEPARATOR_CHOICES: readonly Choice[] = [
  { value: 'DOT', label: '1,234.56' },
  { value: 'COMMA', label: '1.234,56' },
];

export const PATTERN_CHOICES: readonly Choice[] = [
  { value: 'dd/MM/yyyy', label: '31/12/2026' },
  { value: 'MM/dd/yyyy', label: '12/31/2026' },
  { value: 'yyyy/MM/dd', label: '2026/12/31' },
];

const MONTH_NAMES = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

export const MONTH_CHOICES: readonly Choice[] = MONTH_NAMES.map((label) => ({ value: label.toUpperCase(), label }));

/** All zones that the browser knows, with UTC first. */
export function zoneChoices(): readonly Choice[] {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC');
  return ['UTC', ...zones].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }));
}

export interface LocaleDefaults {
  readonly timeZone: string;
  readonly datePattern: string;
  readonly decimalSeparator: string;
  readonly currency: string;
}

/** The zone and formats of the browser, as a start for a new book. */
export function localeDefaults(locale: string, timeZone: string): LocaleDefaults {
  const order = new Intl.DateTimeFormat(locale, { day: '2-digit', month: '2-digit', year: 'numeric' })
    .formatToParts(new Date(2026, 11, 31))
    .map(({ type }) => type)
    .filter((type) => type === 'day' || type === 'month' || type === 'year');
  const datePattern = order[0] === 'year' ? 'yyyy/MM/dd' : order[0] === 'month' ? 'MM/dd/yyyy' : 'dd/MM/yyyy';
  const separator = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value;
  return { timeZone, datePattern, decimalSeparator: separator === ',' ? 'COMMA' : 'DOT', currency: currencyOfZone(timeZone) };
}

const EURO = /^Europe\/(Amsterdam|Athens|Berlin|Bratislava|Brussels|Dublin|Helsinki|Lisbon|Ljubljana|Luxembourg|Madrid|Malta|Paris|Riga|Rome|Tallinn|Vienna|Vilnius|Zagreb)$/;

/** A guess that the form shows for change; '' where there is none. */
function currencyOfZone(zone: string): string {
  if (EURO.test(zone)) return 'EUR';
  if (zone === 'Europe/London') return 'GBP';
  if (zone === 'Europe/Zurich') return 'CHF';
  if (/^America\/(New_York|Chicago|Denver|Los_Angeles|Phoenix|Detroit)$/.test(zone)) return 'USD';
  if (zone === 'America/Sao_Paulo') return 'BRL';
  return zone === 'Asia/Tokyo' ? 'JPY' : '';
}
