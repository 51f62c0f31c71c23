import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import type { SavedQuery } from '~/api/types';
import { useCommand } from '~/frame/commands';
import { useHeaderQuery } from '~/frame/period';
import { usePath } from '~/lib/router';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { Menu } from '~/ui/Menu';
import { viewQuery } from './pinned';
import { usePinQuery, useRenamePin, useUnpinQuery } from './pinnedActions';
import { transactionsPath } from './paths';
import { useBook } from './types';
import './PinnedQueries.css';

/** The saved queries of the book, and pinning the query of the current view. */
export function PinnedQueries() {
  const { id: bookId, accountById, groupById, can } = useBook();
  const path = usePath();
  const { terms, text } = useHeaderQuery();
  const { data: pins = [] } = useQuery({
    queryKey: keys.queries(bookId),
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/queries', { path: { bookId }, signal })).data.items ?? [],
  });
  const [edited, setEdited] = useState('');
  const pin = usePinQuery();
  const rename = useRenamePin();
  const current = viewQuery({ path, terms, text, accountName: (id) => accountById.get(id)?.name, groupName: (id) => groupById.get(id)?.name });
  const canPin = can('EDITOR') && current !== '' && !pins.some(({ query }) => query === current);
  useCommand({ id: 'pin', label: canPin ? `Pin this query: ${current}` : 'Pin a query: filter first', kind: 'Do', run: () => canPin && setEdited('new') });
  if (pins.length === 0 && !canPin) return null;
  return (
    <section aria-label="Pinned queries">
      <h2 className="sidebar-heading">Pinned</h2>
      <ul className="sidebar-list">
        {pins.map((saved) => (edited === saved.id ? (
          <li key={saved.id}>
            <TitleForm
              label={`Name of ${saved.title || saved.query}`}
              title={saved.title ?? ''}
              query={saved.query!}
              onSave={(title) => void rename.run({ pin: saved, title })}
              onClose={() => setEdited('')}
            />
          </li>
        ) : (
          <PinnedItem key={saved.id} pin={saved} isCurrent={current === saved.query} onRename={() => setEdited(saved.id!)} />
        )))}
      </ul>
      {canPin && (edited === 'new' ? (
        <TitleForm
          label="Name of the pinned query"
          title=""
          query={current}
          onSave={(title) => void pin.run({ title, query: current })}
          onClose={() => setEdited('')}
        />
      ) : (
        <Button look="ghost" icon="plus" className="pin-add" onPress={() => setEdited('new')}>Pin this query</Button>
      ))}
    </section>
  );
}

function PinnedItem({ pin, isCurrent, onRename }: { readonly pin: SavedQuery; readonly isCurrent: boolean; readonly onRename: () => void }) {
  const { id: bookId, can } = useBook();
  const unpin = useUnpinQuery();
  const name = pin.title || pin.query!;
  return (
    <li className="pin">
      <Link to={transactionsPath(bookId, pin.query)} className="sidebar-item" title={pin.query} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name="pin" /> <bdi className="truncate">{name}</bdi>
      </Link>
      {can('EDITOR') && (
        <Menu
          label={`Actions for ${name}`}
          entries={[
            { id: 'rename', label: 'Rename', run: onRename },
            { id: 'delete', label: 'Unpin', run: () => void unpin.run(pin) },
          ]}
          trigger={<Button look="ghost" icon="more" className="pin-menu" aria-label={`Actions for ${name}`} />}
        />
      )}
    </li>
  );
}

/** The title of a pinned query. Enter saves; Escape and leaving the field do not. */
function TitleForm({ label, title, query, onSave, onClose }: {
  readonly label: string;
  readonly title: string;
  readonly query: string;
  readonly onSave: (title: string) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(text.trim());
    onClose();
  };
  return (
    <form noValidate className="pin-form" onSubmit={submit}>
      <TextField
        label={label}
        isCompact
        autoFocus
        placeholder={query}
        value={text}
        onChange={setText}
        onBlur={onClose}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
    </form>
  );
}
