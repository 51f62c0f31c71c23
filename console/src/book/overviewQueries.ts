import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
import { monthsUpTo, readCourse, type MonthFigures, type ReportTable } from './course';
import { useBook } from './types';

const MONTHS = 12;
const NEWEST = 8;

/** Net worth, income and expenses of the last twelve months; [] where the server has no reports. */
export function useCourse(enabled = true) {
  const { id: bookId, today } = useBook();
  const period = monthsUpTo(today, MONTHS);
  return useQuery({
    queryKey: [...keys.book(bookId), 'course', period],
    enabled,
    queryFn: async ({ signal }): Promise<MonthFigures[]> => {
      const load = async (id: 'balance-sheet' | 'income-statement') =>
        (await api.get('/v5/books/{bookId}/reports/{id}', { path: { bookId, id }, query: { period, columns: 'month', depth: '1' }, signal })).data as ReportTable;
      try {
        return readCourse(...(await Promise.all([load('balance-sheet'), load('income-statement')])));
      } catch (error) {
        if (isProblem(error, 'notFound')) return [];
        throw error;
      }
    },
  });
}

/** The newest posted transactions. */
export function useNewest(enabled = true) {
  const { id: bookId } = useBook();
  const query = 'is:posted';
  return useQuery({
    queryKey: [...keys.book(bookId), 'newest'],
    enabled,
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: NEWEST }, signal })).data.items ?? [],
  });
}

/** The number of events that have not reached their apps yet. */
export function useBacklog() {
  const { id: bookId, can } = useBook();
  return useQuery({
    queryKey: [...keys.book(bookId), 'backlog'],
    enabled: can('EDITOR'),
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/events/backlog', { path: { bookId }, signal })).data.count ?? 0,
  });
}

/** The number of open requests for access. */
export function useRequestCount() {
  const { id: bookId, can } = useBook();
  return useQuery({
    queryKey: [...keys.book(bookId), 'requestCount'],
    enabled: can('OWNER'),
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/collaborators/request', { path: { bookId }, signal })).data.items?.length ?? 0,
  });
}
