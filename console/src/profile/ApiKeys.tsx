import { useState, type FormEvent } from 'react';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { TextField } from '~/ui/fields/Field';
import { Section } from '~/ui/Section';
import { formatDistance, formatInstant } from '~/ui/times';
import { AccessProblem } from './AccessProblem';
import { useCreateApiKey, useRevokeApiKey } from './actions';
import { API_KEY_COLUMNS } from './listing';
import { useApiKeys, type ApiKey } from './queries';
import { Secret } from './Tokens';

/** Keys that identify a program for its quota. They give no access. */
export function ApiKeys() {
  const { data: apiKeys, error } = useApiKeys();
  const [name, setName] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  const create = useCreateApiKey();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create.run({ name: name.trim() });
    if (!made?.key) return;
    setSecret(made.key);
    setName('');
    setOpen(false);
  };
  return (
    <Section
      title="API keys"
      lead="A key counts the calls of a program apart from yours. It gives no access by itself."
      actions={(
        <span className="actions">
          {!error && !isOpen && <Button icon="plus" onPress={() => { setSecret(undefined); setOpen(true); }}>New key</Button>}
          {apiKeys && apiKeys.length > 0 && <ListMenu what="the API keys" list={() => listOf(API_KEY_COLUMNS, apiKeys)} />}
        </span>
      )}
    >
      {error && <AccessProblem error={error} what="API keys" />}
      {isOpen && (
        <form noValidate className="form-line" onSubmit={(event) => void submit(event)}>
          <TextField label="Name of the key" placeholder="Importer" value={name} onChange={(text) => setName(text.slice(0, 255))} autoFocus />
          <Button type="submit" look="primary" isDisabled={create.isPending}>Create the key</Button>
          <Button onPress={() => setOpen(false)}>Cancel</Button>
        </form>
      )}
      {secret && <Secret label="API key" value={secret} onClose={() => setSecret(undefined)} />}
      {apiKeys?.length === 0 && !isOpen && <p className="muted">No keys yet.</p>}
      {apiKeys && apiKeys.length > 0 && (
        <table className="plain-table" aria-label="API keys">
          <thead><tr><th scope="col">Name</th><th scope="col">Created</th><th scope="col" className="number">Calls in 31 days</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr></thead>
          <tbody>{apiKeys.map((apiKey) => <KeyRow key={apiKey.id} apiKey={apiKey} />)}</tbody>
        </table>
      )}
    </Section>
  );
}

function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const revoke = useRevokeApiKey();
  const calls = (apiKey.usage ?? []).reduce((sum, day) => sum + Number(day.calls ?? 0), 0);
  return (
    <tr className={apiKey.active ? '' : 'is-ended'}>
      <td><bdi>{apiKey.name || 'No name'}</bdi></td>
      <td className="muted">{apiKey.revokedAt ? `revoked ${formatDistance(apiKey.revokedAt)}` : formatInstant(apiKey.createdAt)}</td>
      <td className="number">{calls.toLocaleString('en')}</td>
      <td className="cell-actions">
        {apiKey.active && (
          <ConfirmButton label="Revoke" name={`Revoke the key ${apiKey.name || 'without a name'}`} question={`Revoke ${apiKey.name || 'this key'}?`} confirm="Revoke" look="danger" isDisabled={revoke.isPending} onConfirm={() => void revoke.run(apiKey)}>
            Calls with it count for you from now on. This cannot be undone.
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}
