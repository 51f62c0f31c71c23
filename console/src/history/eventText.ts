/** Events as sentences, with the differences of fields before and after (behaviour 8.1 to 8.4). */
import type { components } from '~/api/schema';

export type Event = components['schemas']['Event'];
export type EventType = components['schemas']['EventType'];

/** How ids and values are shown. */
export interface EventFormats {
  readonly account: (id: string) => string | undefined;
  readonly group: (id: string) => string | undefined;
  readonly day: (iso: string) => string;
  readonly amount: (plain: string) => string;
  /** Names of the two sides: From and To, or Credit and Debit. */
  readonly from: string;
  readonly to: string;
}

export interface Sentence {
  /** `posted`, `created the account` */
  readonly verb: string;
  /** Data of people; shown apart from the words around it. */
  readonly name: string;
  /** `12.50 from Cash to Food` */
  readonly detail: string;
}

export interface Difference {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

type Data = Readonly<Record<string, unknown>>;

const asData = (value: unknown): Data => (typeof value === 'object' && value !== null ? (value as Data) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '');

const NOUNS: Record<string, string> = {
  TRANSACTION: 'transaction', ACCOUNT: 'account', GROUP: 'group', FILE: 'file', QUERY: 'saved query', RECONCILIATION: 'reconciliation',
  COLLABORATOR: 'collaborator', INTEGRATION: 'app', COMMENT: 'comment', BOOK: 'book',
};

const VERBS: Partial<Record<EventType, string>> = {
  TRANSACTION_CREATED: 'saved the draft', TRANSACTION_POSTED: 'posted', TRANSACTION_UPDATED: 'changed', TRANSACTION_CHECKED: 'checked',
  TRANSACTION_UNCHECKED: 'unchecked', TRANSACTION_DELETED: 'moved to the trash', TRANSACTION_RESTORED: 'took from the trash',
  FILE_CREATED: 'added the file', COLLABORATOR_ADDED: 'shared the book with', COLLABORATOR_UPDATED: 'changed the access of',
  COLLABORATOR_REMOVED: 'removed', INTEGRATION_CREATED: 'installed the app', INTEGRATION_DELETED: 'removed the app',
  COMMENT_CREATED: 'commented', COMMENT_DELETED: 'deleted the comment', BOOK_CREATED: 'created the book', BOOK_UPDATED: 'changed the settings of the book',
  BOOK_AUDITED: 'audited the book', BOOK_DELETED: 'deleted the book', QUERY_CREATED: 'saved the query',
};

const PERMISSIONS: Record<string, string> = { VIEWER: 'can view', RECORDER: 'can record', POSTER: 'can post', EDITOR: 'can edit', OWNER: 'owner', NONE: 'no access' };

/** The label of a type for filters: `Transaction posted`. */
export function typeLabel(type: EventType): string {
  const [noun, ...rest] = type.split('_');
  const name = NOUNS[noun!] ?? noun!.toLowerCase();
  return `${name[0]!.toUpperCase()}${name.slice(1)} ${rest.join(' ').toLowerCase()}`;
}

/** What happened to a known item: `Posted`, `Moved to the trash`. */
export function actionLabel(type: EventType): string {
  const verb = VERBS[type] ?? type.split('_').slice(1).join(' ').toLowerCase();
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
}

/** The resource of an event, as it was after it. */
export function resourceOf(event: Event): Data {
  const object = asData(event.data.object);
  return event.type.startsWith('TRANSACTION_') ? asData(object['transaction']) : object;
}

export function sentenceOf(event: Event, formats: EventFormats): Sentence {
  const resource = resourceOf(event);
  const [noun, ...rest] = event.type.split('_');
  const verb = VERBS[event.type] ?? `${rest.join(' ').toLowerCase()} the ${NOUNS[noun!] ?? noun!.toLowerCase()}`;
  return { verb, name: nameOf(noun!, resource), detail: detailOf(event, resource, formats) };
}

function nameOf(noun: string, resource: Data): string {
  switch (noun) {
    case 'TRANSACTION': return text(resource['description']) || 'No description';
    case 'COLLABORATOR': return text(resource['email']);
    case 'QUERY': return text(resource['title']) || text(resource['query']);
    case 'RECONCILIATION': return text(asData(resource['account'])['name']);
    case 'COMMENT': return text(resource['text']) || text(resource['message']);
    default: return text(resource['name']);
  }
}

function detailOf(event: Event, resource: Data, formats: EventFormats): string {
  if (event.type === 'BOOK_AUDITED') return auditSentence(event);
  if (event.type === 'COLLABORATOR_ADDED') return PERMISSIONS[text(resource['permission'])] ?? '';
  if (event.type.startsWith('RECONCILIATION_')) return text(resource['date']) && `up to ${formats.day(text(resource['date']))}`;
  if (!event.type.startsWith('TRANSACTION_')) return '';
  const amount = text(resource['amount']);
  const sides = ([['creditAccount', formats.from], ['debitAccount', formats.to]] as const).flatMap(([side, label]) => {
    const name = text(asData(resource[side])['name']);
    return name ? [`${label.toLowerCase()} ${name}`] : [];
  });
  return [amount && formats.amount(amount), ...sides].filter(Boolean).join(' ');
}

/** `no findings in 304 transactions` */
export function auditSentence(event: Event): string {
  const audit = event.data.audit;
  if (!audit) return '';
  const found = audit.findingsCount === 0 ? 'no findings' : `${audit.findingsCount} ${audit.findingsCount === 1 ? 'finding' : 'findings'}`;
  return `${found} in ${audit.transactionsChecked} transactions and ${audit.eventsChecked} events`;
}

const FIELDS: Record<string, string> = {
  creditAccId: 'from', debitAccId: 'to', dateValue: 'date', amount: 'amount', description: 'description', urls: 'links', remoteIds: 'remote ids', files: 'files',
  name: 'name', type: 'type', archived: 'archived', groups: 'groups', parent: 'parent', hidden: 'hidden', locked: 'locked', permission: 'permission',
  email: 'e-mail', query: 'query', title: 'title', ownerName: 'owner', lockDate: 'lock date', closingDate: 'closing date', datePattern: 'date format',
  decimalSeparator: 'decimal separator', fractionDigits: 'decimal places', timeZone: 'time zone', visibility: 'visibility', pageSize: 'page size',
  periodStartMonth: 'first month of the year', autoPost: 'post at once', content: 'content', size: 'size', contentType: 'kind of file',
};

/** The opposite of another key, or noise. */
const HIDDEN = new Set(['active']);

/** The order of the forms; other keys and properties follow as they are. */
const ORDER = ['dateValue', 'description', 'amount', 'creditAccId', 'debitAccId', 'urls', 'remoteIds', 'files'];

const rankOf = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);

/** Changed fields of an update, in the order that forms have. */
export function differencesOf(event: Event, formats: EventFormats): Difference[] {
  const resource = resourceOf(event);
  const noun = event.type.split('_')[0]!;
  const changes = Object.entries(event.data.previousAttributes ?? {}).sort(([a], [b]) => rankOf(a) - rankOf(b));
  return changes.flatMap(([key, previous]) => {
    if (HIDDEN.has(key) && noun === 'ACCOUNT') return [];
    const side = key === 'creditAccId' ? formats.from : key === 'debitAccId' ? formats.to : undefined;
    return [{
      field: side ? side.toLowerCase() : isField(key, resource) ? (FIELDS[key] ?? key) : key,
      before: showValue(key, previous, formats),
      after: key === 'files' ? fileNames(resource['files']) : showValue(key, currentValue(key, resource), formats),
    }];
  });
}

const isField = (key: string, resource: Data): boolean => !(key in asData(resource['properties']));

/** Files have names after the event; before it only their ids are known. */
const fileNames = (files: unknown): string => (Array.isArray(files) ? files.map((file) => text(asData(file)['name'])).join(', ') : '');

/** The value after the event, in the form of previousAttributes. */
function currentValue(key: string, resource: Data): string {
  if (key === 'creditAccId') return text(asData(resource['creditAccount'])['id']);
  if (key === 'debitAccId') return text(asData(resource['debitAccount'])['id']);
  if (key === 'parent') return text(asData(resource['parent'])['id']);
  const value = key in resource ? resource[key] : asData(resource['properties'])[key];
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => text(item) || text(asData(item)['id'])));
  return text(value);
}

function showValue(key: string, value: string, formats: EventFormats): string {
  if (!value) return '';
  switch (key) {
    case 'creditAccId':
    case 'debitAccId': return formats.account(value) ?? `account ${value}`;
    case 'parent': return formats.group(value) ?? `group ${value}`;
    case 'groups': return listOf(value).map((id) => formats.group(id) ?? `group ${id}`).join(', ');
    case 'urls':
    case 'remoteIds': return listOf(value).join(', ');
    case 'files': return countOf(listOf(value).length, 'file');
    case 'dateValue': return /^\d{8}$/.test(value) ? formats.day(`${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}`) : value;
    case 'lockDate':
    case 'closingDate': return /^\d{4}-\d{2}-\d{2}$/.test(value) ? formats.day(value) : value;
    case 'amount': return formats.amount(value);
    case 'permission': return PERMISSIONS[value] ?? value;
    case 'content': return `${value.slice(0, 12)}…`;
    default: return value === 'true' ? 'yes' : value === 'false' ? 'no' : value;
  }
}

function listOf(json: string): string[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list.map(text) : [json];
  } catch {
    return [json];
  }
}

const countOf = (count: number, noun: string): string => (count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`);
