/** Downloads of a book or of the transactions that a query finds, by an address that works without a token for five minutes (16.8). */
import { api } from '~/api/client';
import { follow } from '~/ui/save';
import { exportName, exportParameters, type ExportFormat } from './formats';

export async function downloadExport(book: { readonly id: string; readonly name: string }, format: ExportFormat, query: string): Promise<void> {
  const { data } = await api.get('/v5/books/{bookId}/export/link', { path: { bookId: book.id }, query: exportParameters(format, query) });
  follow(data.url, exportName(book.name, format));
}
