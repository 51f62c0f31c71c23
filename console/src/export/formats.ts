/** The formats of exports and lists, and how an export is asked for (behaviour 16.1). */

const CSV_FORMATS = [
  { id: 'csv', label: 'CSV', detail: 'Plain', extension: 'csv' },
  { id: 'excel', label: 'CSV for Excel', detail: 'Decimals of the book', extension: 'csv' },
] as const;

/** Of lists that the browser writes. */
export const LIST_FORMATS = CSV_FORMATS;

export const EXPORT_FORMATS = [
  { id: 'xlsx', label: 'XLSX', detail: 'Excel, LibreOffice', extension: 'xlsx' },
  ...CSV_FORMATS,
  { id: 'hledger', label: 'hledger', detail: 'Plain text accounting', extension: 'journal' },
  { id: 'beancount', label: 'Beancount', detail: 'Plain text accounting', extension: 'beancount' },
  { id: 'jsonl', label: 'JSON lines', detail: 'Everything, for programs', extension: 'jsonl' },
  { id: 'zip', label: 'ZIP', detail: 'Everything, with the files', extension: 'zip' },
] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number]['id'];

/** Parameters of the export. Without a query it has the whole book. */
export function exportParameters(format: ExportFormat, query: string) {
  const asked = query ? { query } : {};
  return format === 'excel' ? { ...asked, format: 'csv' as const, excel: true } : { ...asked, format };
}

/** A name that every system accepts for the file. */
export function fileName(name: string, extension: string): string {
  const text = name.replace(/[\u0000-\u001f<>:"/\\|?*]+/g, ' ').replace(/\s+/g, ' ').replace(/^[. ]+|[. ]+$/g, '').slice(0, 100).trim();
  return `${text || 'Book'}.${extension}`;
}

export function exportName(book: string, format: ExportFormat): string {
  return fileName(book, EXPORT_FORMATS.find(({ id }) => id === format)!.extension);
}
