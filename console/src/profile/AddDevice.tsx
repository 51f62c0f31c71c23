import { useState } from 'react';
import { Button } from '~/ui/Button';
import { Section } from '~/ui/Section';
import { useCreateLink, type SignInLink } from './actions';
import { LinkView } from './LinkView';

/** A link and a QR code that sign the caller in on a phone or another computer. */
export function AddDevice() {
  const [link, setLink] = useState<SignInLink>();
  const create = useCreateLink();
  return (
    <Section title="Add a device" lead="Sign in on your phone or another computer. The link works once, within 15 minutes. Whoever opens it is you, so show it to nobody.">
      {link && <LinkView link={link} label="Sign-in link" />}
      <div className="actions">
        <Button look={link ? 'plain' : 'primary'} isDisabled={create.isPending} onPress={() => void create.run(undefined).then((made) => made && setLink(made))}>
          {link ? 'Make another link' : 'Make a sign-in link'}
        </Button>
        {link && <Button onPress={() => setLink(undefined)}>Hide it</Button>}
      </div>
    </Section>
  );
}
