import { useState, type FormEvent } from 'react';
import type { components } from '~/api/schema';
import { addressFault } from '~/people/permissions';
import { LinkView } from '~/profile/LinkView';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import { Section } from '~/ui/Section';
import { useInvite } from './actions';

/** A link that somebody else becomes a user with. Only where the server sends no mail. */
export function Invite() {
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string>();
  const [made, setMade] = useState<components['schemas']['Invitation']>();
  const invite = useInvite();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const typed = email.trim();
    setFault(addressFault(typed));
    if (addressFault(typed)) return;
    const invitation = await invite.run(typed);
    if (!invitation) return;
    setMade(invitation);
    setEmail('');
  };
  return (
    <Section title="Invite a user" lead="This server sends no mail: hand the link over yourself. It works once, within 24 hours, and makes the address a user of this server. Books can be shared before or afterwards.">
      <form className="form-line" noValidate onSubmit={(event) => void submit(event)}>
        <TextField label="E-mail address of the new user" inputMode="email" value={email} onChange={setEmail} error={fault} />
        <Button type="submit" look="primary" isDisabled={invite.isPending}>Make an invitation link</Button>
      </form>
      {made && (
        <>
          <p>For <strong><bdi>{made.email}</bdi></strong>:</p>
          <LinkView link={made} label="Invitation link" />
        </>
      )}
    </Section>
  );
}
