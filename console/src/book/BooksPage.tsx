import { useCallback } from 'react';
import { sentence } from '~/api/problem';
import type { Book } from '~/api/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { navigate } from '~/lib/router';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Cell, List } from '~/ui/List';
import { useListState } from '~/ui/useListState';
import { bookHomePath } from './paths';
import { currencyOf, useBooks } from './queries';
import './BooksPage.css';

const PERMISSIONS: Record<string, string> = { OWNER: 'Owner', EDITOR: 'Can edit', POSTER: 'Can post', RECORDER: 'Can record', VIEWER: 'Can view', NONE: '' };

/** All books that the caller owns or works in. */
export default function BooksPage() {
  const { data: books = [], isLoading, error } = useBooks();
  const keyAt = useCallback((index: number) => books[index]?.id ?? '', [books]);
  const state = useListState(books.length, keyAt, 'books');
  useHeaderInfo({ title: 'Books' });
  if (error) return <EmptyState title="The books cannot be loaded">{sentence(error)}</EmptyState>;
  if (isLoading) return <Loading label="Loading books" />;
  return (
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
        { key: 'total', title: 'Transactions', isNumber: true },
        { key: 'month', title: 'This month', isNumber: true },
      ]}
      state={state}
      onOpen={(index) => books[index] && navigate(bookHomePath(books[index].id!))}
      renderRow={(index) => books[index] && <BookCells book={books[index]} />}
      empty={<EmptyState title="No books yet">Create the first one from a template, or ask the owner of a book to share it with you.</EmptyState>}
    />
  );
}

function BookCells({ book }: { readonly book: Book }) {
  return (
    <>
      <Cell className="book-name"><Link to={bookHomePath(book.id!)} tabIndex={-1}><bdi>{book.name}</bdi></Link></Cell>
      <Cell className="book-currency muted">{currencyOf(book)}</Cell>
      <Cell className="book-collection muted">{book.collection?.name}</Cell>
      <Cell className="book-permission muted">{PERMISSIONS[book.permission ?? 'NONE']}</Cell>
      <Cell className="book-owner muted"><bdi>{book.ownerName}</bdi></Cell>
      <Cell isNumber className="book-total">{(book.totalTransactions ?? 0).toLocaleString('en')}</Cell>
      <Cell isNumber className="book-month muted">{(book.totalTransactionsCurrentMonth ?? 0).toLocaleString('en')}</Cell>
    </>
  );
}
