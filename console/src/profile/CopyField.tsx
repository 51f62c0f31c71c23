import { useId } from 'react';
import { Button } from '~/ui/Button';
import { copyText } from '~/ui/clipboard';
import { showToast } from '~/ui/toasts';

/** A text to take away, such as a link or a secret. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  const copy = () => void copyText(value).then((copied) => showToast(copied ? 'Copied' : 'The browser does not allow copying here. Select the text instead.'));
  return (
    <div className="copy-field">
      <label className="field-label" htmlFor={id}>{label}</label>
      <div className="copy-field-line">
        <input id={id} className="field-input copy-field-input" readOnly value={value} onFocus={(event) => event.target.select()} />
        <Button onPress={copy} aria-label={`Copy the ${label.toLowerCase()}`}>Copy</Button>
      </div>
    </div>
  );
}
