import type { ReactNode } from 'react';
import { isProblem, sentence } from '~/api/problem';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { useOpenBook } from './queries';
import { BookContext } from './types';

/** Loads a book and gives it to the views below, or says why it cannot be shown. */
export function BookProvider({ bookId, children }: { readonly bookId: string; readonly children: ReactNode }) {
  const { book, error } = useOpenBook(bookId);
  if (book) return <BookContext.Provider value={book}>{children}</BookContext.Provider>;
  if (!error) return <Loading label="Loading the book" />;
  const missing = isProblem(error, 'notFound');
  return (
    <EmptyState title={missing ? 'No such book' : 'The book cannot be loaded'} actions={<><Link to="/books">All books</Link>{missing && <Link to={`/request-access/${encodeURIComponent(bookId)}`}>Ask for access</Link>}</>}>
      {missing ? 'It does not exist, or it is not shared with you.' : sentence(error)}
    </EmptyState>
  );
}
