import { useState, type FormEvent } from 'react';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { useShare } from './actions';
import { addressFault, PERMISSION_CHOICES, PERMISSION_EFFECTS, type SharedPermission } from './permissions';
import type { Collaborator } from './queries';

/** Shares the book with an address, with a message if one is wanted. */
export function ShareForm({ people }: { readonly people: readonly Collaborator[] }) {
  const [email, setEmail] = useState('');
  const [permission, setPermission] = useState<SharedPermission>('VIEWER');
  const [message, setMessage] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const share = useShare();
  const typed = email.trim().toLowerCase();
  const known = people.find((person) => person.email === typed);
  const fault = addressFault(email) ?? (known?.permission === 'OWNER' ? 'This is the owner.' : undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (fault) return;
    const before = known?.permission as SharedPermission | undefined;
    const done = await share.run({ email: email.trim(), permission, message: message.trim(), before });
    if (!done) return;
    setEmail('');
    setMessage('');
    setSubmitted(false);
  };
  return (
    <form className="people-share" onSubmit={(event) => void submit(event)} noValidate>
      <div className="form-line">
        <TextField label="E-mail address" inputMode="email" placeholder="name@example.com" value={email} onChange={setEmail} error={isSubmitted ? fault : undefined} />
        <ChoiceField label="Permission" value={permission} choices={PERMISSION_CHOICES} onChange={setPermission} />
        <Button type="submit" look="primary" icon="plus" isDisabled={share.isPending}>{known ? 'Change' : 'Share'}</Button>
      </div>
      <p className="muted people-effect">{PERMISSION_EFFECTS[permission].may} {PERMISSION_EFFECTS[permission].mayNot}</p>
      {email.trim() !== '' && (
        <TextField label="Message in the invitation (optional)" isMultiline value={message} onChange={(text) => setMessage(text.slice(0, 2000))} />
      )}
    </form>
  );
}
