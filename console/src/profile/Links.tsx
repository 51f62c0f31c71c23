import { useState, type FormEvent } from 'react';
import { addressFault } from '~/people/permissions';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import { Notice, Section } from '~/ui/Section';
import { formatDistance } from '~/ui/times';
import { useCreateLink, type SignInLink } from './actions';
import { CopyField } from './CopyField';

/** A link and a QR code that sign the caller in on a phone or another computer. */
export function AddDevice() {
  const [link, setLink] = useState<SignInLink>();
  const create = useCreateLink();
  return (
    <Section title="Add a device" lead="Sign in on your phone or another computer. The link works once, within 15 minutes. Whoever opens it is you, so show it to nobody.">
      {link && <LinkView link={link} label="Sign-in link" />}
      <div className="actions">
        <Button look={link ? 'plain' : 'primary'} isDisabled={create.isPending} onPress={() => void create.run({}).then((made) => made && setLink(made))}>
          {link ? 'Make another link' : 'Make a sign-in link'}
        </Button>
        {link && <Button onPress={() => setLink(undefined)}>Hide it</Button>}
      </div>
    </Section>
  );
}

/** A link that somebody else becomes a user with. Only where the server sends no mail. */
export function Invite() {
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string>();
  const [made, setMade] = useState<{ readonly email: string; readonly link: SignInLink }>();
  const create = useCreateLink();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const typed = email.trim();
    setFault(addressFault(typed));
    if (addressFault(typed)) return;
    const link = await create.run({ email: typed });
    if (!link) return;
    setMade({ email: typed, link });
    setEmail('');
  };
  return (
    <Section title="Invite somebody" lead="This server sends no mail, so you hand the link over yourself. It makes the address a user of this server, once, within 24 hours. Share books afterwards, or before.">
      <form className="form-line" noValidate onSubmit={(event) => void submit(event)}>
        <TextField label="E-mail address of the new user" inputMode="email" value={email} onChange={setEmail} error={fault} />
        <Button type="submit" look="primary" isDisabled={create.isPending}>Make an invitation link</Button>
      </form>
      {made && (
        <>
          <p>For <strong><bdi>{made.email}</bdi></strong>:</p>
          <LinkView link={made.link} label="Invitation link" />
        </>
      )}
    </Section>
  );
}

function LinkView({ link, label }: { readonly link: SignInLink; readonly label: string }) {
  const [isShown] = useState(() => link.qrCode.startsWith('data:image/'));
  return (
    <Notice>
      <div className="profile-link">
        {isShown && <img src={link.qrCode} alt={`QR code of the ${label.toLowerCase()}`} width={164} height={164} />}
        <div className="profile-link-text">
          <CopyField label={label} value={link.url} />
          <p className="muted">It ends {formatDistance(link.expiresAt)}.</p>
        </div>
      </div>
    </Notice>
  );
}
