import { useState, type FormEvent } from 'react';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { Notice } from '~/ui/Section';
import { useRequestAccess } from './actions';
import { PERMISSION_EFFECTS, PERMISSION_NAMES, type GrantedPermission } from './permissions';

/** Asks the owner of a book for a permission. */
export function RequestForm({ bookId, permissions }: { readonly bookId: string; readonly permissions: readonly GrantedPermission[] }) {
  const [chosen, setPermission] = useState<GrantedPermission>(permissions[0]!);
  const permission = permissions.includes(chosen) ? chosen : permissions[0]!;
  const [message, setMessage] = useState('');
  const [isSent, setSent] = useState(false);
  const request = useRequestAccess();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await request.run({ bookId, permission, message })) setSent(true);
  };
  if (isSent) {
    return (
      <Notice>
        Your request for <strong>{PERMISSION_NAMES[permission].toLowerCase()}</strong> is with the owner for 30 days. A new one replaces it.
      </Notice>
    );
  }
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <div className="form-line">
        <ChoiceField label="Permission to ask for" value={permission} onChange={setPermission} choices={permissions.map((value) => ({ value, label: PERMISSION_NAMES[value] }))} note={PERMISSION_EFFECTS[permission].may} />
      </div>
      <TextField label="Message to the owner (optional)" isMultiline value={message} onChange={(text) => setMessage(text.slice(0, 2000))} />
      <div className="actions"><Button type="submit" look="primary" isDisabled={request.isPending}>Send the request</Button></div>
    </form>
  );
}
