import { useLiveState, type LiveStatus } from './state';
import './Live.css';

const TEXTS: Record<Exclude<LiveStatus, 'off'>, string> = {
  live: 'Live: changes of others appear by themselves',
  connecting: 'Connecting to the server',
  waiting: 'The connection is lost',
};

/** Whether changes of others arrive, as a mark in the header. */
export function LiveMark() {
  const { status } = useLiveState();
  if (status === 'off') return null;
  return <span className={`live-mark live-${status}`} role="img" aria-label={TEXTS[status]} title={TEXTS[status]} />;
}
