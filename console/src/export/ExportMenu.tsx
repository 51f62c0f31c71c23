import { useBook } from '~/book/types';
import { useCommand } from '~/frame/commands';
import { transactionListing } from '~/transaction/listing';
import { downloadExport } from './download';
import { DownloadMenu } from './DownloadMenu';
import { showDownloadFailure } from './failure';
import { EXPORT_FORMATS, type ExportFormat } from './formats';
import { ListMenu } from './ListMenu';

interface ExportMenuProps {
  /** The query in force, period included. */
  readonly query?: string;
  readonly look?: 'plain' | 'ghost';
}

/** Downloads the transactions of a query, or the whole book. */
export function ExportMenu({ query = '', look = 'ghost' }: ExportMenuProps) {
  const { id, can } = useBook();
  if (can('VIEWER')) return <ServerExport query={query} look={look} />;
  return query ? <ListMenu what="the transactions" list={() => transactionListing(id, query)} look={look} /> : null;
}

/** Files of the server. ZIP has the whole book only. */
function ServerExport({ query, look }: Required<ExportMenuProps>) {
  const { id, book } = useBook();
  const download = (format: ExportFormat) =>
    void downloadExport({ id, name: book.name ?? '' }, format, query).catch(showDownloadFailure);
  useCommand({
    id: query ? 'download-list' : 'download-book',
    label: query ? 'Download these transactions as XLSX' : 'Download the whole book as XLSX',
    kind: 'Do',
    run: () => download('xlsx'),
  });
  return (
    <DownloadMenu
      look={look}
      entries={EXPORT_FORMATS.filter(({ id: format }) => format !== 'zip' || !query).map(({ id: format, label, detail }) => ({
        id: format, label, detail, run: () => download(format),
      }))}
    />
  );
}
