import { useState, type FormEvent } from 'react';
import type { Book } from '~/api/types';
import { navigate } from '~/lib/router';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import { useDeleteBook } from './actions';

/** Deletes the book after its name has been typed. It can be restored for a while. */
export function DeleteSection({ book }: { readonly book: Book }) {
  const [typed, setTyped] = useState('');
  const remove = useDeleteBook();
  const isConfirmed = typed.trim() === book.name;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isConfirmed || remove.isPending) return;
    if (await remove.run(book)) navigate('/books');
  };
  return (
    <section>
      <h2>Delete</h2>
      <p className="muted page-lead">The book disappears for everyone. You can restore it from <em>Deleted books</em> for a while, usually 30 days.</p>
      <form noValidate className="page-form" onSubmit={submit} aria-label="Delete the book">
        <TextField label={`Type ${book.name} to confirm`} value={typed} onChange={setTyped} />
        <p className="page-actions is-whole"><Button type="submit" look="danger" isDisabled={!isConfirmed || remove.isPending}>Delete book</Button></p>
      </form>
    </section>
  );
}
