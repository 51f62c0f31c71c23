/** Drafts of a series that are dated later than today: lists hide them until they are asked for. */
import { tokenize, joinQuery } from '~/lib/query';
import { useQueryState } from '~/lib/router';

export const UPCOMING = 'is:draft series:* after:$d+1';

/** Whether the query itself asks for drafts or series. */
export function asksForDrafts(query: string): boolean {
  return tokenize(query).some((token) => ['is', 'series', 'entry_id'].includes(token.operator ?? ''));
}

/** The query of a list, without upcoming drafts unless `?upcoming=1`. Pages pass it to all hooks of the list. */
export function useListQuery(query: string): string {
  const [shown] = useQueryState('upcoming');
  return shown || asksForDrafts(query) ? query : joinQuery(query, `-(${UPCOMING})`);
}
