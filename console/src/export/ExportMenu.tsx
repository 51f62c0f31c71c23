import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { useCommand } from '~/frame/commands';
import { Button } from '~/ui/Button';
import { Menu } from '~/ui/Menu';
import { showToast } from '~/ui/toasts';
import { downloadExport } from './download';
import { EXPORT_FORMATS, type ExportFormat } from './formats';

/** Downloads the transactions of a query, or the whole book. ZIP has the whole book only. */
export function ExportMenu({ query = '', look = 'plain' }: {
  /** The query in force, period included. */
  readonly query?: string;
  readonly look?: 'plain' | 'ghost';
}) {
  const { id, book, can } = useBook();
  const download = (format: ExportFormat) =>
    void downloadExport({ id, name: book.name ?? '' }, format, query).catch((error: unknown) =>
      showToast(`The download could not be started. ${sentence(error)}`, { tone: 'error' }));
  useCommand({
    id: query ? 'download-list' : 'download-book',
    label: query ? 'Download these transactions as XLSX' : 'Download the whole book as XLSX',
    kind: 'Do',
    run: () => download('xlsx'),
  });
  if (!can('VIEWER')) return null;
  return (
    <Menu
      label="Download"
      trigger={<Button look={look} icon="down">Download</Button>}
      entries={EXPORT_FORMATS.filter(({ id: format }) => format !== 'zip' || !query).map(({ id: format, label, detail }) => ({
        id: format, label, detail, run: () => download(format),
      }))}
    />
  );
}
