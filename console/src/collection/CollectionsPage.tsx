import { useState, type FormEvent } from 'react';
import { sentence } from '~/api/problem';
import { nameError } from '~/book/form';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { TextField } from '~/ui/fields/Field';
import { Link } from '~/ui/Link';
import { Menu } from '~/ui/Menu';
import '~/ui/page.css';
import { useCreateCollection, useDeleteCollection, useRenameCollection } from './actions';
import { COLLECTION_COLUMNS } from './listing';
import { collectionPath } from './paths';
import { useCollections } from './queries';
import './CollectionPage.css';

/** The caller's collections: create, rename and delete. Books are moved from the list of books. */
export default function CollectionsPage() {
  const { data: collections, error } = useCollections();
  const [edited, setEdited] = useState('');
  const create = useCreateCollection();
  const rename = useRenameCollection();
  const remove = useDeleteCollection();
  useHeaderInfo({ title: 'Collections' });
  if (error) return <EmptyState title="The collections cannot be loaded">{sentence(error)}</EmptyState>;
  if (!collections) return <Loading label="Loading collections" />;
  return (
    <div className="page">
      <section>
        <p className="muted page-lead">
          A collection keeps books together and shows their figures side by side. Move a book into one from its menu in <Link to="/books">all books</Link>.
        </p>
        <NameForm label="Name of the new collection" name="" action="Create collection" onSave={(name) => void create.run(name)} />
      </section>
      {collections.length > 0 && (
        <section>
          <p className="page-download"><ListMenu what="the collections" list={() => listOf(COLLECTION_COLUMNS, collections)} /></p>
          <table className="table">
            <thead><tr><th scope="col">Collection</th><th scope="col" className="number">Books</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr></thead>
            <tbody>
              {collections.map(({ id = '', name = '', books = [] }) => (
                <tr key={id}>
                  <th scope="row">
                    {edited === id ? (
                      <NameForm label={`Name of ${name}`} name={name} action="Rename" onSave={(next) => { setEdited(''); void rename.run({ id, name: next, before: name }); }} />
                    ) : <Link to={collectionPath(id)}><bdi>{name}</bdi></Link>}
                  </th>
                  <td className="number">{books.length}</td>
                  <td className="number">
                    <Menu
                      label={`Actions for ${name}`}
                      entries={[
                        { id: 'rename', label: 'Rename', run: () => setEdited(id) },
                        { id: 'delete', label: 'Delete', run: () => void remove.run({ id, name }) },
                      ]}
                      trigger={<Button look="ghost" icon="more" aria-label={`Actions for ${name}`} />}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}

function NameForm({ label, name, action, onSave }: {
  readonly label: string;
  readonly name: string;
  readonly action: string;
  readonly onSave: (name: string) => void;
}) {
  const [text, setText] = useState(name);
  const [isSubmitted, setSubmitted] = useState(false);
  const error = nameError(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (error) return;
    onSave(text.trim());
    setText(name);
    setSubmitted(false);
  };
  return (
    <form noValidate className="collection-form" onSubmit={submit} aria-label={label}>
      <TextField label={label} value={text} onChange={setText} error={isSubmitted ? error : undefined} />
      <Button type="submit">{action}</Button>
    </form>
  );
}
