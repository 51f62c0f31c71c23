import { useEffect, useState } from 'react';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { followBook } from './follow';
import { useLiveState } from './state';
import { RETRY_EVENT } from './stream';

/** A short loss is not worth a message. */
const PATIENCE_MS = 1500;

/** Follows the book of the page, and says when the connection is lost. */
export default function Live() {
  const { id, can } = useBook();
  const mayRead = can('VIEWER');
  useEffect(() => (mayRead ? followBook(id) : undefined), [id, mayRead]);
  return <LostConnection />;
}

function LostConnection() {
  const { status, retryAt } = useLiveState();
  const [isShown, setShown] = useState(false);
  const isLost = status === 'waiting';
  useEffect(() => {
    if (!isLost) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
  return (
    <div role="status">
      {isShown && (
        <div className="live-lost">
          <Icon name="warning" size={13} />
          <span>The connection is lost. What you typed is kept. <Countdown until={retryAt} /></span>
          <Button onPress={() => window.dispatchEvent(new Event(RETRY_EVENT))}>Try now</Button>
        </div>
      )}
    </div>
  );
}

function Countdown({ until }: { readonly until: number | undefined }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil(((until ?? now) - now) / 1000);
  return <span aria-hidden="true">{seconds > 0 ? `Next attempt in ${seconds} s.` : 'Connecting.'}</span>;
}
