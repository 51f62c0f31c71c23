/** What a pinned query holds: the query that the current view shows. */
import { joinQuery, term } from '~/lib/query';
import { matchPath } from '~/lib/router';

export interface QueryView {
  /** The path inside the console. */
  readonly path: string;
  /** The period as terms of a query, and the text of the query box. */
  readonly terms: string;
  readonly text: string;
  readonly accountName: (id: string) => string | undefined;
  readonly groupName: (id: string) => string | undefined;
}

/** The query of the view, with names in place of ids; '' where the view has none. */
export function viewQuery({ path, terms, text, accountName, groupName }: QueryView): string {
  const account = matchPath('/b/:bookId/accounts/:id', path)?.['id'];
  if (account) return joinQuery(term('account', accountName(account) ?? account), terms, text);
  const group = matchPath('/b/:bookId/groups/:id', path)?.['id'];
  if (group) return joinQuery(term('group', groupName(group) ?? group), terms, text);
  return matchPath('/b/:bookId/transactions', path) ? joinQuery(terms, text) : '';
}
