import { useEffect, useRef, useState } from 'react';
import { bookChanged } from '~/api/cache';
import { api } from '~/api/client';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { formatCount } from '~/lib/money';
import { useAction } from '~/ui/actions';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { Notice } from '~/ui/Section';
import { formatInstant } from '~/ui/times';
import type { Verification } from './chain';
import { Findings } from './Findings';
import { useHead, useLastAudit } from './queries';
import { VerificationResult } from './VerificationResult';
import { verifyChain } from './verify';

/** The state of the proof: the head of the chain, the last audit, and verification in this browser. */
export function ChainSection() {
  const { id: bookId, book, can, numbers } = useBook();
  const { data: head } = useHead(bookId);
  const [auditedAfter, setAuditedAfter] = useState<number>();
  const { data: audit } = useLastAudit(bookId, auditedAfter !== undefined);
  const isRunning = auditedAfter !== undefined && Number(audit?.sequence ?? 0) <= auditedAfter;
  useEffect(() => {
    if (auditedAfter === undefined || Number(audit?.sequence ?? 0) <= auditedAfter) return;
    setAuditedAfter(undefined);
    // The log and the marks of the accounts are newer than the page.
    bookChanged(bookId);
  }, [audit, auditedAfter, bookId]);
  const start = useAction({
    bookId,
    done: () => 'The audit has begun',
    run: async (_input: undefined, idempotencyKey) => {
      await api.patch('/v5/books/{bookId}/audit', { path: { bookId }, idempotencyKey });
      setAuditedAfter(Number(audit?.sequence ?? 0));
    },
  });
  const verification = useVerification();
  const result = audit?.data.audit;
  const isVerified = verification.result !== undefined && !verification.result.firstBreak;
  const isSound = result && result.findingsCount === 0 && result.chainIntact;
  return (
    <section className={`chain ${isVerified ? 'is-verified' : ''}`} aria-label="Proof">
      <div className="chain-facts">
        <p>
          <Icon name={isVerified ? 'check' : 'history'} /> {head ? `${formatCount(head.sequence, numbers)} ${head.sequence === 1 ? 'event' : 'events'}` : 'No events'}
          {head && <> <span className="muted">each sealed by the one after it, up to</span> <code title={head.hash}>{head.hash.slice(0, 12)}</code></>}
        </p>
        <p role="status">
          {isRunning ? 'The server audits the book.' : result ? (
            <>
              <span className={isSound ? 'chain-good' : 'chain-bad'}>{isSound ? 'Audit without findings' : `Audit with ${result.findingsCount} findings`}</span>
              <span className="muted"> {formatInstant(audit!.createdAt, book.timeZone)}, up to event {formatCount(result.sequence, numbers)}</span>
            </>
          ) : <span className="muted">Never audited.</span>}
        </p>
      </div>
      <div className="actions">
        {verification.progress === undefined ? (
          <Button onPress={verification.start} isDisabled={!head}>Verify</Button>
        ) : (
          <Button onPress={verification.stop}>Stop</Button>
        )}
        {can('EDITOR') && <Button isDisabled={start.isPending || isRunning} onPress={() => void start.run(undefined)}>Start an audit</Button>}
      </div>
      {verification.progress && <p className="muted chain-wide" role="status">{verification.progress}</p>}
      {verification.error && <div className="chain-wide"><Notice tone="error">{verification.error}</Notice></div>}
      {verification.result && <div className="chain-wide"><VerificationResult result={verification.result} audit={result} /></div>}
      {result && !isSound && <div className="chain-wide"><Findings audit={result} /></div>}
    </section>
  );
}

function useVerification() {
  const { id: bookId, numbers } = useBook();
  const running = useRef<AbortController | undefined>(undefined);
  const [progress, setProgress] = useState<string>();
  const [result, setResult] = useState<Verification>();
  const [error, setError] = useState<string>();
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setProgress('Reading the log.');
    setResult(undefined);
    setError(undefined);
    try {
      const found = await verifyChain({
        bookId,
        signal: controller.signal,
        onProgress: (read, total) => setProgress(`Read ${formatCount(read, numbers)} of ${formatCount(total, numbers)} events.`),
      });
      setResult(found);
    } catch (problem) {
      if (!controller.signal.aborted) setError(sentence(problem));
    } finally {
      setProgress(undefined);
    }
  };
  return { progress, result, error, start: () => void start(), stop: () => running.current?.abort() };
}
