import type { Book } from '~/api/types';
import { useMoveToCollection } from '~/collection/actions';
import { useCollections } from '~/collection/queries';
import { navigate } from '~/lib/router';
import { Button } from '~/ui/Button';
import { Menu, type MenuEntry } from '~/ui/Menu';
import { useDeleteBook } from './actions';
import { bookHomePath, settingsPath } from './paths';

/** What can be done with a book in the list. */
export function BookMenu({ book }: { readonly book: Book }) {
  const { data: collections = [] } = useCollections();
  const move = useMoveToCollection();
  const remove = useDeleteBook();
  const own = collections.find(({ id }) => id === book.collection?.id);
  const from = own?.id ?? '';
  const entries: MenuEntry[] = [
    { id: 'open', label: 'Open', run: () => navigate(bookHomePath(book.id!)) },
    { id: 'settings', label: 'Settings', run: () => navigate(settingsPath(book.id!)) },
    { id: 'copy', label: 'Copy', run: () => navigate(`${settingsPath(book.id!)}?part=copy`) },
    ...collections.filter(({ id }) => id !== from).map(({ id, name }) => ({
      id: `to ${id}`, label: `Move to ${name}`, run: () => void move.run({ book, from, to: id!, toName: name! }),
    })),
    ...(own ? [{ id: 'out', label: `Take out of ${own.name}`, run: () => void move.run({ book, from, to: '', toName: '' }) }] : []),
    ...(book.permission === 'OWNER' ? [{ id: 'delete', label: 'Delete', run: () => void remove.run(book) }] : []),
  ];
  return (
    <Menu
      label={`Actions for ${book.name}`}
      entries={entries}
      trigger={<Button look="ghost" icon="more" aria-label={`Actions for ${book.name}`} excludeFromTabOrder={false} />}
    />
  );
}
