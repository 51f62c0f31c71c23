import { useBook } from '~/book/types';
import { useCommand } from '~/frame/commands';
import { matchPath, navigate, usePath } from '~/lib/router';
import { useShortcut } from '~/ui/shortcuts';
import { reconcilePath } from './paths';

/** `r` in the register of an asset or a liability opens its reconciliation. */
export default function ReconcileShortcut() {
  const { accountById } = useBook();
  const accountId = matchPath('/b/:bookId/accounts/:accountId', usePath())?.['accountId'] ?? '';
  return accountById.get(accountId)?.permanent ? <ForAccount accountId={accountId} /> : null;
}

function ForAccount({ accountId }: { readonly accountId: string }) {
  const { id } = useBook();
  const go = () => navigate(reconcilePath(id, accountId));
  useShortcut('reconcile', go);
  useCommand({ id: 'reconcile-account', label: 'Reconcile this account', kind: 'Do', keys: 'r', run: go });
  return null;
}
