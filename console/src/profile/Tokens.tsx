import { useState, type FormEvent } from 'react';
import { useBooks } from '~/book/queries';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { CheckField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { Notice, Section } from '~/ui/Section';
import { formatDistance, formatInstant } from '~/ui/times';
import { AccessProblem } from './AccessProblem';
import { useCreateToken, useRevokeToken } from './actions';
import { CopyField } from './CopyField';
import { TOKEN_COLUMNS } from './listing';
import { useTokens, type Token } from './queries';
import { readDays, scopeOf } from './tokenScope';

/** Access tokens for scripts and programs: create, limit and revoke. */
export function Tokens() {
  const { data: tokens, error } = useTokens();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <Section
      title="Access tokens"
      lead="A token lets a script or a program act as you. Give each program its own token, with as little as it needs."
      actions={(
        <span className="actions">
          {!error && !isOpen && <Button icon="plus" onPress={() => { setSecret(undefined); setOpen(true); }}>New token</Button>}
          {tokens && tokens.length > 0 && <ListMenu what="the access tokens" list={() => listOf(TOKEN_COLUMNS, tokens)} />}
        </span>
      )}
    >
      {error && <AccessProblem error={error} what="tokens" />}
      {isOpen && <TokenForm onCreated={(token) => { setSecret(token); setOpen(false); }} onCancel={() => setOpen(false)} />}
      {secret && <Secret label="Access token" value={secret} onClose={() => setSecret(undefined)} />}
      {tokens?.length === 0 && !isOpen && <p className="muted">No tokens yet.</p>}
      {tokens && tokens.length > 0 && (
        <table className="plain-table" aria-label="Access tokens">
          <thead><tr><th scope="col">Name</th><th scope="col">May</th><th scope="col">Created</th><th scope="col">Ends</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr></thead>
          <tbody>{tokens.map((token) => <TokenRow key={token.id} token={token} />)}</tbody>
        </table>
      )}
    </Section>
  );
}

/** A secret that is shown once. */
export function Secret({ label, value, onClose }: { readonly label: string; readonly value: string; readonly onClose: () => void }) {
  return (
    <Notice tone="warning">
      <p><strong>Copy it now.</strong> It is not stored, and nobody can show it again.</p>
      <CopyField label={label} value={value} />
      <div className="actions"><Button onPress={onClose}>I have it</Button></div>
    </Notice>
  );
}

function TokenForm({ onCreated, onCancel }: { readonly onCreated: (token: string) => void; readonly onCancel: () => void }) {
  const books = useBooks().data ?? [];
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const [readOnly, setReadOnly] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const create = useCreateToken();
  const lifetime = readDays(days);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!lifetime) return;
    const made = await create.run({ name: name.trim(), days: lifetime, readOnly, ...(chosen.size > 0 ? { books: [...chosen] } : {}) });
    if (made?.token) onCreated(made.token);
  };
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <form noValidate className="profile-form" onSubmit={(event) => void submit(event)}>
      <div className="form-line">
        <TextField label="Name" placeholder="Backup script" value={name} onChange={(text) => setName(text.slice(0, 255))} autoFocus />
        <TextField label="Days until it ends" inputMode="decimal" value={days} onChange={setDays} error={lifetime ? undefined : 'a number from 1 to 3650'} />
      </div>
      <CheckField label="May only read" value={readOnly} onChange={setReadOnly} />
      <fieldset className="profile-books">
        <legend>Books</legend>
        <p className="muted">{chosen.size === 0 ? 'All your books, also later ones. Choose some to limit it.' : `Only ${chosen.size === 1 ? 'this book' : `these ${chosen.size} books`}.`}</p>
        {books.map((book) => <CheckField key={book.id} label={<bdi>{book.name}</bdi>} value={chosen.has(book.id!)} onChange={() => toggle(book.id!)} isDisabled={chosen.size >= 100 && !chosen.has(book.id!)} />)}
      </fieldset>
      <div className="actions">
        <Button type="submit" look="primary" isDisabled={create.isPending || !lifetime}>Create the token</Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

function TokenRow({ token }: { readonly token: Token }) {
  const books = useBooks().data ?? [];
  const revoke = useRevokeToken();
  const names = new Map(books.map((book) => [book.id!, book.name!]));
  return (
    <tr className={token.active ? '' : 'is-ended'}>
      <td><bdi>{token.name || 'No name'}</bdi></td>
      <td className="muted"><bdi>{scopeOf(token, names)}</bdi></td>
      <td className="muted">{formatInstant(token.createdAt)}</td>
      <td className="muted">{token.revokedAt ? `revoked ${formatDistance(token.revokedAt)}` : formatDistance(token.expiresAt)}</td>
      <td className="cell-actions">
        {token.active && (
          <ConfirmButton label="Revoke" name={`Revoke ${token.name || 'the token without a name'}`} question={`Revoke ${token.name || 'this token'}?`} confirm="Revoke" look="danger" isDisabled={revoke.isPending} onConfirm={() => void revoke.run(token)}>
            Programs that use it lose access within seconds. This cannot be undone.
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}
