import { sentence } from '~/api/problem';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import '~/ui/page.css';
import { useRestoreBook } from './actions';
import { instantDay } from './instants';
import { BOOK_COLUMNS } from './listing';
import { useDeletedBooks } from './queries';

/** Books that were deleted, until they are removed for good. */
export default function DeletedBooksPage() {
  const { data: books, error } = useDeletedBooks();
  const restore = useRestoreBook();
  useHeaderInfo({ title: 'Deleted books' });
  if (error) return <EmptyState title="The deleted books cannot be loaded">{sentence(error)}</EmptyState>;
  if (!books) return <Loading label="Loading deleted books" />;
  if (books.length === 0) {
    return (
      <EmptyState title="No deleted books" actions={<Link to="/books">All books</Link>}>
        A deleted book stays here for a while, and you can restore it with everything in it.
      </EmptyState>
    );
  }
  return (
    <div className="page">
      <p className="muted page-lead">You can restore these books until they are removed for good.</p>
      <p className="page-download"><ListMenu what="the deleted books" list={() => listOf(BOOK_COLUMNS, books)} /></p>
      <table className="table">
        <thead>
          <tr><th scope="col">Book</th><th scope="col">Deleted</th><th scope="col">Removed on</th><th scope="col"><span className="hidden-visually">Restore</span></th></tr>
        </thead>
        <tbody>
          {books.map((book) => (
            <tr key={book.id}>
              <th scope="row"><bdi>{book.name}</bdi></th>
              <td>{instantDay(book.deletedAt, book)}</td>
              <td>{instantDay(book.expiresAt, book)}</td>
              <td className="number">
                <Button aria-label={`Restore ${book.name}`} isDisabled={restore.isPending} onPress={() => void restore.run(book)}>Restore</Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
