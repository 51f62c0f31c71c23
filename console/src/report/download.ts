/**
 * Downloads and the print page of a report. Browsers open them by an address that works without a token for
 * five minutes (13.14). A server without such addresses sends the report to this page, which saves it.
 */
import { api, send } from '~/api/client';
import { isProblem } from '~/api/problem';
import { ORIGIN_BASE } from '~/api/session';
import { follow, saveBlob } from '~/ui/save';
import type { ReportName } from './names';
import type { ReportQuery } from './params';

export type Format = 'csv' | 'excel' | 'xlsx' | 'html';

const EXTENSIONS: Record<Format, string> = { csv: 'csv', excel: 'csv', xlsx: 'xlsx', html: 'html' };

function parameters(query: ReportQuery, format: Format) {
  return format === 'excel' ? { ...query, format: 'csv' as const, excel: true } : { ...query, format };
}

/** The temporary address of the report, or undefined if the server has none. */
async function reportLink(bookId: string, name: ReportName, query: ReportQuery, format: Format): Promise<string | undefined> {
  try {
    const { data } = await api.get('/v5/books/{bookId}/reports/{id}/link', { path: { bookId, id: name }, query: parameters(query, format) });
    return data.url;
  } catch (error) {
    if (isProblem(error, 'notFound') || isProblem(error, 'methodNotAllowed')) return undefined;
    throw error;
  }
}

export async function downloadReport(bookId: string, name: ReportName, query: ReportQuery, format: Format): Promise<void> {
  const fileName = [name, query.period].filter(Boolean).join(' ') + `.${EXTENSIONS[format]}`;
  const link = await reportLink(bookId, name, query, format);
  if (link) return follow(link, fileName);
  const search = new URLSearchParams(Object.entries(parameters(query, format)).map(([key, value]) => [key, String(value)]));
  const content = await send(`${ORIGIN_BASE}v5/books/${encodeURIComponent(bookId)}/reports/${name}?${search}`, { method: 'GET' }, (response) => response.blob());
  return saveBlob(content, fileName);
}

/** Opens the server's page for print in a new tab. The tab opens before the request, or browsers block it. */
export async function openPrintPage(bookId: string, name: ReportName, query: ReportQuery): Promise<void> {
  const tab = window.open('', '_blank');
  try {
    const link = await reportLink(bookId, name, query, 'html');
    if (link && tab) {
      tab.opener = null;
      tab.location.replace(link);
      return;
    }
    tab?.close();
    await downloadReport(bookId, name, query, 'html');
  } catch (error) {
    tab?.close();
    throw error;
  }
}
