import { useQuery } from '@tanstack/react-query';
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import type { ReportName } from './names';
import type { ReportQuery } from './params';
import type { Report } from './rows';

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
