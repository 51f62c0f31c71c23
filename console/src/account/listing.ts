/** The chart as a file: groups and accounts in the order of the view, with what it shows about each. */
import type { Account, Group } from '~/api/types';
import type { Column } from '~/export/csv';
import { decimalOrZero } from '~/lib/money';
import type { TreeRow } from './tree';

interface Lookups {
  readonly accountById: ReadonlyMap<string, Account>;
  readonly groupById: ReadonlyMap<string, Group>;
  readonly reconciled: ReadonlyMap<string, string> | undefined;
}

export function chartColumns({ accountById, groupById, reconciled }: Lookups): readonly Column<TreeRow>[] {
  const account = ({ kind, id }: TreeRow) => (kind === 'account' ? accountById.get(id) : undefined);
  const group = ({ kind, id }: TreeRow) => (kind === 'group' ? groupById.get(id) : undefined);
  return [
    { key: 'id', of: ({ id }) => id },
    { key: 'kind', of: ({ kind }) => kind },
    { key: 'depth', of: ({ depth }) => depth },
    { key: 'name', of: ({ name }) => name },
    { key: 'type', of: (row) => account(row)?.type ?? group(row)?.type },
    { key: 'state', of: (row) => (account(row)?.archived ? 'archived' : group(row)?.hidden ? 'hidden' : '') },
    { key: 'reconciledThrough', of: ({ id }) => reconciled?.get(id) },
    { key: 'minBalance', of: (row) => minimum(account(row)) },
    { key: 'balance', of: ({ balance }) => balance },
  ];
}

function minimum(account: Account | undefined) {
  return account?.minBalance ? decimalOrZero(account.minBalance) : undefined;
}
