import { useRef, useState } from 'react';
import { sentence } from '~/api/problem';
import { useOptionalBook } from '~/book/types';
import { useCommand } from '~/frame/commands';
import { today } from '~/lib/dates';
import { formatCount, type NumberStyle } from '~/lib/money';
import type { MenuEntry } from '~/ui/Menu';
import { saveBlob } from '~/ui/save';
import { showToast } from '~/ui/toasts';
import { collectCsv, dialectOf, MAX_ROWS, TooManyRows, type CsvFormat, type Listing } from './csv';
import { DownloadMenu } from './DownloadMenu';
import { fileName, LIST_FORMATS } from './formats';

const OUTSIDE: NumberStyle = { decimalSeparator: 'DOT', fractionDigits: 2 };

/** Downloads a list of which the server has no file, as CSV. All pages of it are read. */
export function ListMenu<Row>({ what, list, others = [], numbers: given, isLoading = false, look }: {
  /** The list in a sentence, `the history`; the file is called so too. */
  readonly what: string;
  readonly list: () => Listing<Row>;
  /** Files of the server about the same, before those of the list. */
  readonly others?: readonly MenuEntry[];
  /** The separators for Excel of a list outside of a book. */
  readonly numbers?: NumberStyle | undefined;
  /** Whether the view has not all of the list yet. */
  readonly isLoading?: boolean;
  readonly look?: 'plain' | 'ghost';
}) {
  const open = useOptionalBook();
  const numbers = open?.numbers ?? given ?? OUTSIDE;
  const [read, setRead] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const download = async (format: CsvFormat) => {
    if (isLoading || read !== undefined) return;
    const { signal } = (running.current = new AbortController());
    const name = [open?.book.name, what.replace(/^the /, ''), open?.today ?? today()].filter(Boolean).join(' ');
    try {
      const { content, rows } = await collectCsv(list(), dialectOf(format, numbers), signal, setRead);
      saveBlob(content, fileName(name, 'csv'));
      if (rows > LONG) showToast(`Downloaded ${formatCount(rows, numbers)} rows`);
    } catch (error) {
      if (!signal.aborted) showToast(`The download failed. ${failure(error, numbers)}`, { tone: 'error' });
    } finally {
      setRead(undefined);
    }
  };
  useCommand({ id: `download ${what}`, label: `Download ${what} as CSV`, kind: 'Do', run: () => void download('csv') });
  const formats = LIST_FORMATS.map(({ id, label, detail }) => ({ id, label, detail, run: () => void download(id) }));
  return (
    <DownloadMenu
      what={what}
      isDisabled={isLoading}
      {...(look ? { look } : {})}
      progress={read === undefined ? undefined : `${formatCount(read, numbers)} read`}
      entries={read === undefined ? [...others, ...formats] : [{ id: 'stop', label: 'Stop the download', run: () => running.current?.abort() }]}
    />
  );
}

/** Longer lists take a while, and their end is announced. */
const LONG = 1000;

function failure(error: unknown, numbers: NumberStyle): string {
  if (error instanceof TooManyRows) return `The list has more than ${formatCount(MAX_ROWS, numbers)} rows. Filter it, and download its parts.`;
  return sentence(error);
}
