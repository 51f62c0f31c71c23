import type { components } from '~/api/schema';
import { useBook } from '~/book/types';
import { formatCount } from '~/lib/money';
import { Notice } from '~/ui/Section';
import { BREAKS, type Verification } from './chain';

/** What this browser has verified, what it has not, and the first break. */
export function VerificationResult({ result, audit }: { readonly result: Verification; readonly audit: components['schemas']['Audit'] | undefined }) {
  const { numbers } = useBook();
  const count = (value: number) => formatCount(value, numbers);
  const { head, read, recomputed, matchedMarks, hidden, firstBreak } = result;
  if (firstBreak) {
    return (
      <Notice tone="error">
        <p><strong>The chain breaks at event {count(firstBreak.sequence)}.</strong> {BREAKS[firstBreak.kind]}</p>
        <p>Expected <code>{firstBreak.expected}</code>, found <code>{firstBreak.actual}</code>.</p>
        <p>Tell the operator of the server, and compare with a checkpoint or a backup before you go on.</p>
      </Notice>
    );
  }
  const isComplete = recomputed === read;
  return (
    <Notice>
      <p>
        <strong>Verified in this browser up to event {count(head?.sequence ?? 0)}.</strong>{' '}
        {count(read)} events are complete, in order and consistently numbered.
        {hidden > 0 && ` ${count(hidden)} more are not shown to you.`}
      </p>
      {head && <p>Head: <code>{head.hash}</code></p>}
      <p>
        {matchedMarks > 0
          ? `${matchedMarks === 1 ? 'A hash' : `${count(matchedMarks)} hashes`} from your earlier visits ${matchedMarks === 1 ? 'is' : 'are'} unchanged.`
          : 'This browser has kept the head. It will notice on your next visit if anything before it was rewritten.'}
      </p>
      <p className="muted">
        {isComplete
          ? `SHA-256 was recomputed for all ${count(recomputed)} events.`
          : recomputed > 0
            ? `SHA-256 was recomputed for ${count(recomputed)} of ${count(read)} events.`
            : 'SHA-256 was not recomputed here, because the server sends events as they are hashed to collaborators only.'}
        {!isComplete && (audit
          ? ` The last audit on the server recomputed ${count(audit.eventsChecked)} events${audit.chainIntact ? ' and found the chain intact.' : ' and found a break.'}`
          : ' An audit does this on the server.')}
      </p>
    </Notice>
  );
}
