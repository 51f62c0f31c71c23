import { useCallback, useMemo, useState } from 'react';
import { sentence } from '~/api/problem';
import type { Book } from '~/api/types';
import { collectionPath } from '~/collection/paths';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { formatCount } from '~/lib/money';
import { navigate } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Cell, List } from '~/ui/List';
import { useListState } from '~/ui/useListState';
import '~/ui/page.css';
import { BookMenu } from './BookMenu';
import { FirstBook } from './FirstBook';
import { instantAgo } from './instants';
import { BOOK_COLUMNS } from './listing';
import { bookHomePath, newBookPath, transactionsPath } from './paths';
import { currencyOf, numberStyle, useBooks, useDeletedBooks, useDraftCount } from './queries';
import './BooksPage.css';

const PERMISSIONS: Record<string, string> = { OWNER: 'Owner', EDITOR: 'Can edit', POSTER: 'Can post', RECORDER: 'Can record', VIEWER: 'Can view', NONE: '' };

/** All books that the caller owns or works in, those of a collection together. */
export default function BooksPage() {
  const { data, isLoading, error } = useBooks();
  const deleted = useDeletedBooks().data?.length ?? 0;
  const books = useMemo(() => byCollection(data ?? []), [data]);
  const keyAt = useCallback((index: number) => books[index]?.id ?? '', [books]);
  const state = useListState(books.length, keyAt, 'books');
  useHeaderInfo({ title: 'Books' });
  if (error) return <EmptyState title="The books cannot be loaded">{sentence(error)}</EmptyState>;
  if (isLoading) return <Loading label="Loading books" />;
  const deletedLink = deleted > 0 && <Link to="/books/deleted">Deleted books ({deleted})</Link>;
  if (books.length === 0) return <FirstBook>{deletedLink}</FirstBook>;
  return (
    <>
      <div className="page-bar">
        <Button look="primary" icon="plus" onPress={() => navigate(newBookPath())}>New book</Button>
        <Link to="/collections">Collections</Link>
        <span className="page-bar-end page-bar-group">
          {deletedLink}
          <ListMenu what="the books" list={() => listOf(BOOK_COLUMNS, books)} numbers={numberStyle(books[0]!)} />
        </span>
      </div>
      <List
        label="Books"
        name="books"
        hasSelection={false}
        columns={[
          { key: 'name', title: 'Book' },
          { key: 'currency', title: 'Currency' },
          { key: 'collection', title: 'Collection' },
          { key: 'permission', title: 'You' },
          { key: 'owner', title: 'Owner' },
          { key: 'drafts', title: 'Drafts', isNumber: true },
          { key: 'total', title: 'Transactions', isNumber: true },
          { key: 'change', title: 'Last change', isNumber: true },
          { key: 'menu', title: <span className="hidden-visually">Actions</span> },
        ]}
        state={state}
        onOpen={(index) => books[index] && navigate(bookHomePath(books[index].id!))}
        renderRow={(index) => books[index] && <BookCells book={books[index]} />}
      />
    </>
  );
}

/** Books without a collection first, then those of each collection. */
function byCollection(books: readonly Book[]): Book[] {
  const name = (book: Book) => book.collection?.name ?? '';
  return [...books].sort((a, b) => name(a).localeCompare(name(b)) || (a.name ?? '').localeCompare(b.name ?? ''));
}

function BookCells({ book }: { readonly book: Book }) {
  const isReader = book.permission !== 'RECORDER';
  const drafts = useDraftCount(book.id!, isReader).data?.total;
  const numbers = numberStyle(book);
  const [now] = useState(Date.now);
  return (
    <>
      <Cell className="book-name"><Link to={bookHomePath(book.id!)} tabIndex={-1}><bdi>{book.name}</bdi></Link></Cell>
      <Cell className="book-currency muted">{currencyOf(book)}</Cell>
      <Cell className="book-collection">
        {book.collection && <Link to={collectionPath(book.collection.id!)} tabIndex={-1}><bdi>{book.collection.name}</bdi></Link>}
      </Cell>
      <Cell className="book-permission muted">{PERMISSIONS[book.permission ?? 'NONE']}</Cell>
      <Cell className="book-owner muted"><bdi>{book.ownerName}</bdi></Cell>
      <Cell isNumber className="book-drafts">
        {drafts ? <Link to={transactionsPath(book.id!, 'is:draft')} tabIndex={-1}>{formatCount(drafts, numbers)}<span className="book-narrow"> drafts</span></Link> : ''}
      </Cell>
      <Cell isNumber className="book-total">{formatCount(book.totalTransactions ?? 0, numbers)}</Cell>
      <Cell isNumber className="book-change muted">{instantAgo(book.lastUpdateMs, book, now)}</Cell>
      <Cell className="book-menu"><BookMenu book={book} /></Cell>
    </>
  );
}
