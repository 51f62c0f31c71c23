import type { ReactNode } from 'react';
import { sentence } from '~/api/problem';
import { useBook, type OpenBook } from '~/book/types';
import { formatDayLong } from '~/lib/dates';
import { parseDecimal } from '~/lib/money';
import { withParams } from '~/lib/router';
import type { AccountType } from '~/lib/signs';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { usePrefs } from '~/ui/prefs';
import { directionWords, listWords, unusualReason, type Side } from './direction';
import type { Preview } from './preview';

interface ReadingProps {
  readonly text: string;
  readonly word: { readonly day: string } | undefined;
  readonly preview: Preview | undefined;
  readonly error: unknown;
  readonly isCurrent: boolean;
  readonly onSwap: () => void;
  readonly onNewAccount: () => void;
}

/** How the server understands the line: sides, amount, date, direction in words, what is missing, doubts. */
export function Reading({ text, preview, error, isCurrent, ...rest }: ReadingProps) {
  const { pattern, today } = useBook();
  return (
    <div id="entry-reading" className={`entry-reading ${isCurrent ? '' : 'is-stale'}`} role="group" aria-label="Reading of the line">
      {!text.trim() ? (
        <p className="muted">
          Write amount, description, the account the money comes from, then the one it goes to. A date such as {formatExample(today, pattern)} or <i>yesterday</i> is optional.
        </p>
      ) : error ? (
        <p className="entry-warning" role="alert"><Icon name="warning" size={13} /> {sentence(error)}</p>
      ) : preview ? (
        <Facts preview={preview} {...rest} />
      ) : (
        <p className="muted">{isCurrent ? 'This server shows no preview. Enter records the line.' : 'Reading the line'}</p>
      )}
    </div>
  );
}

const formatExample = (today: string, pattern: string): string => pattern.replace('yyyy', today.slice(0, 4)).replace('MM', today.slice(5, 7)).replace('dd', today.slice(8));

const sideOf = (book: OpenBook, side: Preview['from']): Side | undefined => {
  const type = side && book.accountById.get(side.id)?.type;
  return type ? { name: side.name, type: type as AccountType } : undefined;
};

function Facts({ preview, word, onSwap, onNewAccount }: Pick<ReadingProps, 'word' | 'onSwap' | 'onNewAccount'> & { readonly preview: Preview }) {
  const book = useBook();
  const { accountingTerms } = usePrefs();
  const { transaction, missing } = preview;
  const day = transaction.date ?? word?.day ?? book.today;
  const [from, to] = [sideOf(book, preview.from), sideOf(book, preview.to)];
  const unusual = from && to ? unusualReason(from, to) : undefined;
  const open = missing.filter((field) => field !== 'date');
  const lacksSide = open.some((field) => field !== 'amount');
  return (
    <>
      <dl className="entry-facts">
        <ReadFact name={accountingTerms ? 'Credit' : 'From'} kind="creditAccount">{preview.from && <bdi>{preview.from.name}</bdi>}</ReadFact>
        <span className="entry-arrow" aria-hidden="true"><Icon name="arrow" size={13} /></span>
        <ReadFact name={accountingTerms ? 'Debit' : 'To'} kind="debitAccount">{preview.to && <bdi>{preview.to.name}</bdi>}</ReadFact>
        <ReadFact name="Amount" kind="amount">{transaction.amount && `${book.money(parseDecimal(transaction.amount))} ${book.currency}`}</ReadFact>
        <ReadFact name="Date" kind="date">{formatDayLong(day)}{missing.includes('date') && <span className="muted"> (today)</span>}</ReadFact>
        {transaction.description && <ReadFact name="Description"><bdi className="truncate">{transaction.description}</bdi></ReadFact>}
        {preview.repeats.length > 0 && <ReadFact name="Repeats" kind="repeats">{preview.repeats.length} drafts up to {book.day(preview.repeats.at(-1))}</ReadFact>}
      </dl>
      <div className="entry-notes">
        {from && to && !unusual && <p className="entry-direction"><bdi>{directionWords(from, to)}</bdi></p>}
        {unusual && from && to && (
          <p className="entry-warning" role="alert">
            <Icon name="warning" size={13} /> <bdi>{directionWords(from, to)}.</bdi> {unusual}
            <Button shortcut="entry-swap" onPress={onSwap}>Swap</Button>
          </p>
        )}
        {open.length > 0 && (
          <p className="entry-missing">
            Becomes a draft: {listWords(open.map((field) => MISSING[field]))} {open.length === 1 ? 'is' : 'are'} missing.
            {lacksSide && book.can('EDITOR') && <Button onPress={onNewAccount}>New account</Button>}
          </p>
        )}
        {open.length === 0 && day <= book.lockedUntil && (
          <p className="entry-warning"><Icon name="warning" size={13} /> Becomes a draft: the book is locked up to {book.day(book.lockedUntil)}.</p>
        )}
        {open.length === 0 && book.book.autoPost === false && <p className="entry-missing">Becomes a draft: this book posts nothing by itself.</p>}
        {preview.duplicates.length > 0 && <Duplicates preview={preview} />}
      </div>
    </>
  );
}

const MISSING: Record<Preview['missing'][number], string> = { date: 'the date', amount: 'the amount', creditAccount: 'From', debitAccount: 'To' };

function ReadFact({ name, kind, children }: { readonly name: string; readonly kind?: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ? <span className={kind ? `entry-token token-${kind}` : 'truncate'}>{children}</span> : <span className="tx-missing">missing</span>}</dd>
    </div>
  );
}

function Duplicates({ preview }: { readonly preview: Preview }) {
  const { day } = useBook();
  const [first, ...others] = preview.duplicates;
  if (!first) return null;
  return (
    <p className="entry-warning" role="alert">
      <Icon name="warning" size={13} /> Probably recorded already{!first.posted && ' as a draft'}{first.date && ` on ${day(first.date)}`}:{' '}
      <Link to={withParams({ panel: `transaction:${first.id}` })}><bdi>{first.description || 'no description'}</bdi></Link>
      {others.length > 0 && ` and ${others.length} more`}
    </p>
  );
}
