import { formatCount } from '~/lib/money';
import { useTransactionCount } from '~/transaction/queries';
import { UPCOMING } from '~/transaction/upcoming';
import { Icon, type IconName } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { useBacklog, useRequestCount } from './overviewQueries';
import { bookPath, settingsPath, transactionsPath } from './paths';
import { useBook } from './types';

interface Item {
  readonly icon: IconName;
  readonly count: number;
  readonly one: string;
  readonly many: string;
  readonly to: string;
}

const useCount = (query: string): number => useTransactionCount(query).data?.total ?? 0;

/** What needs attention, each with a link to where it is done. */
export function Attention() {
  const { id, numbers, lockedUntil, day } = useBook();
  const items: readonly Item[] = [
    { icon: 'draft', count: useCount(`is:draft -(${UPCOMING})`), one: 'draft to complete', many: 'drafts to complete', to: bookPath(id, 'drafts') },
    { icon: 'check', count: useCount('is:unchecked'), one: 'unchecked transaction', many: 'unchecked transactions', to: transactionsPath(id, 'is:unchecked') },
    { icon: 'warning', count: useCount('error:true'), one: 'transaction with an error of an app', many: 'transactions with an error of an app', to: transactionsPath(id, 'error:true') },
    { icon: 'apps', count: useBacklog().data ?? 0, one: 'event has not reached its app', many: 'events have not reached their apps', to: bookPath(id, 'apps') },
    { icon: 'people', count: useRequestCount().data ?? 0, one: 'request for access', many: 'requests for access', to: bookPath(id, 'people') },
  ];
  const open = items.filter((item) => item.count > 0);
  return (
    <section aria-labelledby="attention" className="overview-attention">
      <h2 id="attention">Needs attention</h2>
      {open.length === 0 && <p className="muted">Nothing. Everything is posted, checked and delivered.</p>}
      <ul>
        {open.map((item) => (
          <li key={item.to}>
            <Link to={item.to}>
              <Icon name={item.icon} /> <span><strong>{formatCount(item.count, numbers)}</strong> {item.count === 1 ? item.one : item.many}</span>
            </Link>
          </li>
        ))}
      </ul>
      {lockedUntil && <p className="muted">Locked up to <Link to={settingsPath(id)}>{day(lockedUntil)}</Link></p>}
    </section>
  );
}
