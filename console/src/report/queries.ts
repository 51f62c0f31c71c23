import { useQuery } from '@tanstack/react-query';
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { readClosings, type Closing, type StoredFile } from './closing';
import type { ReportName } from './names';
import type { ReportQuery } from './params';
import type { Report } from './rows';

/** Older closings than these pages have are still in the list of files. */
const MAX_FILE_PAGES = 25;

/** A report. While other parameters load, the figures before stay visible. */
export function useReport(name: ReportName, query: ReportQuery, enabled = true) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'report', name, query] as const,
    enabled,
    placeholderData: (old: Report | undefined, from) => (from?.queryKey[3] === name ? old : undefined),
    queryFn: async ({ signal }): Promise<Report> => (await api.get('/v5/books/{bookId}/reports/{id}', { path: { bookId, id: name }, query, signal })).data,
  });
}

/** The files of a book that closings have stored. Files have no query, so all pages are read. */
export function useClosings() {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'closings'] as const,
    queryFn: async ({ signal }): Promise<Closing[]> => {
      const files: StoredFile[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_FILE_PAGES; page += 1) {
        const { data } = await api.get('/v5/books/{bookId}/files', { path: { bookId }, query: { limit: 200 }, cursor, signal });
        files.push(...(data.items ?? []));
        cursor = data.cursor;
        if (!cursor) break;
      }
      return readClosings(files);
    },
  });
}
