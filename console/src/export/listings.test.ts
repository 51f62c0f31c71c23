/** The columns of lists that the browser writes, against the documentation and on examples. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chartColumns } from '~/account/listing';
import type { TreeRow } from '~/account/tree';
import { USER_COLUMNS } from '~/administration/listing';
import type { Account, Group, Transaction } from '~/api/types';
import { ATTEMPT_COLUMNS, INTEGRATION_COLUMNS } from '~/apps/listing';
import { BOOK_COLUMNS, MONTH_COLUMNS } from '~/book/listing';
import { budgetColumns } from '~/budget/listing';
import type { BudgetRow } from '~/budget/grid';
import { COLLECTION_COLUMNS, SIDE_COLUMNS } from '~/collection/listing';
import { eventColumns } from '~/history/listing';
import type { Event } from '~/history/eventText';
import { decide, NO_DECISIONS } from '~/import/decisions';
import { IMPORT_COLUMNS, recordColumns } from '~/import/listing';
import type { ImportRecord } from '~/import/types';
import { parseDecimal } from '~/lib/money';
import { COLLABORATOR_COLUMNS } from '~/people/listing';
import { API_KEY_COLUMNS, CONNECTION_COLUMNS, CONSENT_COLUMNS, SESSION_COLUMNS, TOKEN_COLUMNS } from '~/profile/listing';
import { RECONCILIATION_COLUMNS, sheetColumns } from '~/reconcile/listing';
import { CLOSING_COLUMNS } from '~/report/listing';
import { TRANSACTION_COLUMNS } from '~/transaction/listing';
import { dialectOf, writeLine, type Column } from './csv';

const documentation = readFileSync(new URL('../../../docs/export.md', import.meta.url), 'utf8');
const section = (title: string) => documentation.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
/** Notes stand behind a semicolon. */
const namesIn = (cell: string) => [...cell.split(';')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

const bank = { id: '1', name: 'Bank', type: 'ASSET', permanent: true, credit: false, minBalance: '-10.00' } as Account;
const names = { account: (id: string) => (id === '1' ? 'Bank' : undefined), group: () => undefined };
const lookups = { accountById: new Map([['1', bank]]), groupById: new Map([['2', { id: '2', name: 'Home', hidden: true } as Group]]), reconciled: new Map([['1', '2026-03-31']]) };

const lists: Record<string, readonly Column<never>[]> = {
  'Accounts': chartColumns(lookups),
  'History': eventColumns(names),
  'Reconciliations': RECONCILIATION_COLUMNS,
  'Rows of a reconciliation': sheetColumns(bank, new Set()),
  'Budget': budgetColumns(['2026-03']),
  'Imports': IMPORT_COLUMNS,
  'Records of an import': recordColumns(NO_DECISIONS),
  'Closings': CLOSING_COLUMNS,
  'Figures by month': MONTH_COLUMNS,
  'Books': BOOK_COLUMNS,
  'Collections': COLLECTION_COLUMNS,
  'Books of a collection': SIDE_COLUMNS,
  'Collaborators': COLLABORATOR_COLUMNS,
  'Apps': INTEGRATION_COLUMNS,
  'Deliveries': ATTEMPT_COLUMNS,
  'Users': USER_COLUMNS,
  'Access tokens': TOKEN_COLUMNS,
  'API keys': API_KEY_COLUMNS,
  'Programs with access': CONSENT_COLUMNS,
  'Connections': CONNECTION_COLUMNS,
  'Sessions': SESSION_COLUMNS,
};

describe('documentation', () => {
  const rows = section('Lists of the console').split('\n').filter((line) => line.startsWith('| ') && line.includes('`')).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));

  test('it has every list', () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(lists));
  });

  test.each(Object.entries(lists))('%s: the columns are those of the documentation', (name, columns) => {
    expect(namesIn(rows.find(([title]) => title === name)![1]!)).toEqual(columns.map(({ key }) => key));
  });

  test('transactions have the columns that the server writes', () => {
    const fields = section('CSV').split('\n').filter((line) => line.startsWith('| `')).flatMap((line) => namesIn(line.split(' | ')[0]!));
    expect(TRANSACTION_COLUMNS.map(({ key }) => key)).toEqual(fields);
  });
});

const plain = dialectOf('csv', { decimalSeparator: 'DOT', fractionDigits: 2 });
const written = <Row>(columns: readonly Column<Row>[], row: Row) => writeLine(columns.map(({ of }) => of(row)), plain).trimEnd();

describe('rows', () => {
  test('an account has its type, its state and balances; a group its own', () => {
    const row = (part: Partial<TreeRow>): TreeRow => ({ key: '', kind: 'account', id: '1', name: 'Bank', depth: 1, balance: parseDecimal('5.00'), isOpen: undefined, parentKey: undefined, ...part });
    expect(written(chartColumns(lookups), row({}))).toBe('1,account,1,Bank,ASSET,,2026-03-31,-10.00,5.00');
    expect(written(chartColumns(lookups), row({ kind: 'group', id: '2', name: 'Home', depth: 0, balance: undefined }))).toBe('2,group,0,Home,,hidden,,,');
  });

  test('an event has its sentence and its changes with plain days and amounts', () => {
    const event = {
      id: 'e', type: 'TRANSACTION_UPDATED', sequence: 7, createdAt: '1793466309007', resource: '29', hash: 'ab', user: { username: 'ada', name: 'Ada, L.' }, agent: { id: 'api' },
      botResponses: [{ agentId: 'bot', type: 'ERROR', message: 'No' }],
      data: {
        object: { transaction: { description: 'Rent', amount: '900.00', creditAccount: { id: '1', name: 'Bank' }, dateValue: 20260301 } },
        previousAttributes: { amount: '850.00', creditAccId: '9' },
      },
    } as unknown as Event;
    expect(written(eventColumns(names), event)).toBe(
      '7,2026-10-31T17:05:09.007Z,TRANSACTION_UPDATED,ada,"Ada, L.",api,changed Rent 900.00 from Bank,"amount: 850.00 → 900.00\nfrom: account 9 → Bank",bot ERROR: No,29,e,ab',
    );
  });

  test('rows of a reconciliation have the sign of the account, and whether they are on the statement', () => {
    const row = { id: '5', date: '2026-03-01', description: 'Rent', amount: '900.00', creditAccount: { id: '1', name: 'Bank' }, debitAccount: { id: '3', name: 'Rent' } } as Transaction;
    expect(written(sheetColumns(bank, new Set(['5'])), row)).toBe('5,2026-03-01,Rent,Rent,-900.00,yes');
    expect(written(sheetColumns({ ...bank, id: '3' }, new Set()), row)).toBe('5,2026-03-01,Rent,Bank,900.00,no');
  });

  test('records of an import have the decisions that are not confirmed yet', () => {
    const record = {
      record: 3, line: 4, outcome: 'NEW', reason: 'new', date: '2026-03-03', amount: '-2.00', description: 'KIOSK', uncategorised: true,
      from: { id: '1', name: 'Bank' }, to: { name: 'Uncategorised expenses' },
    } as ImportRecord;
    expect(written(recordColumns(NO_DECISIONS), record)).toBe('3,4,NEW,No other account is known,2026-03-03,-2.00,KIOSK,Bank,Uncategorised expenses,');
    const food = decide(NO_DECISIONS, record, { account: '7', accountName: 'Food', description: 'Kiosk', tags: ['snack'] });
    expect(written(recordColumns(food), record)).toBe('3,4,NEW,You chose the account,2026-03-03,-2.00,Kiosk #snack,Bank,Food,');
    const incoming = { ...record, amount: '2.00', from: { name: 'Salary' }, to: { id: '1', name: 'Bank' }, uncategorised: false } as ImportRecord;
    expect(written(recordColumns(NO_DECISIONS), incoming)).toContain(',2.00,KIOSK,Salary,Bank,');
    expect(written(recordColumns(decide(NO_DECISIONS, record, { outcome: 'SKIPPED' })), record)).toContain('3,4,SKIPPED,You decided this,');
  });

  test('a row of the budget has both figures of each month, and what is left', () => {
    const [ten, four] = [parseDecimal('10.00'), parseDecimal('4.00')];
    const row: BudgetRow = {
      key: 'a', kind: 'account', name: 'Food', depth: 1, isIncome: false, accountName: 'food', accountId: '7', groupId: undefined, parents: [],
      budget: [ten], actual: [four], budgetTotal: ten, actualTotal: four,
    };
    expect(written(budgetColumns(['2026-03']), row)).toBe('account,1,Food,7,,10.00,4.00,10.00,4.00,6.00');
  });

  test('a transaction has its state, and its lists one in each line', () => {
    const row = { id: '5', posted: true, checked: true, description: 'Rent #home', tags: ['home'], urls: ['https://a', 'https://b'], properties: { code: 'x' } } as Transaction;
    expect(written(TRANSACTION_COLUMNS, row)).toBe('5,,,,,Rent #home,checked,home,"https://a\nhttps://b",,,"{""code"":""x""}",,,,,');
    expect(written(TRANSACTION_COLUMNS, { id: '5', properties: {} })).toContain('5,,,,,,draft,');
    expect(written(TRANSACTION_COLUMNS, { id: '5', posted: true, trashed: true })).toContain('5,,,,,,trashed,');
  });
});
