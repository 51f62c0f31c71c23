import { isProblem, sentence } from '~/api/problem';
import { Notice } from '~/ui/Section';

/** Says why something of the profile cannot be managed here. */
export function AccessProblem({ error, what }: { readonly error: unknown; readonly what: string }) {
  if (isProblem(error, 'notFound')) return <Notice>This server is older than this page and does not list {what}.</Notice>;
  if (isProblem(error, 'insufficientScope')) return <Notice>You can manage {what} only at the server's own address, not at the address that you have opened.</Notice>;
  return <Notice tone="error">{sentence(error)}</Notice>;
}
