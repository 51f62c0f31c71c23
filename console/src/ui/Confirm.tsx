import { useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from './Button';
import { Modal } from './Modal';
import './Confirm.css';

/**
 * A button that asks before it acts. Only for what cannot be undone, or what others notice at once.
 */
export function ConfirmButton({ label, question, confirm, children, onConfirm, look = 'plain', icon, isDisabled = false, name }: {
  readonly label: string;
  /** The title of the dialog, as a question. */
  readonly question: string;
  /** The label of the button that acts: a verb. */
  readonly confirm: string;
  /** What will happen. */
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly look?: ButtonProps['look'];
  readonly icon?: ButtonProps['icon'];
  readonly isDisabled?: boolean;
  /** A longer name for screen readers, where several buttons have the same label. */
  readonly name?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button look={look ?? 'plain'} {...(icon ? { icon } : {})} isDisabled={isDisabled} {...(name ? { 'aria-label': name } : {})} onPress={() => setOpen(true)}>{label}</Button>
      <Modal label={question} isOpen={isOpen} onClose={close} className="confirm">
        <h2>{question}</h2>
        <div className="confirm-text">{children}</div>
        <div className="confirm-actions">
          <Button autoFocus onPress={close}>Cancel</Button>
          <Button look={look === 'danger' ? 'danger' : 'primary'} onPress={() => { close(); onConfirm(); }}>{confirm}</Button>
        </div>
      </Modal>
    </>
  );
}
