import type { ReactNode } from 'react';
import { Button } from '~/ui/Button';
import { Modal } from '~/ui/Modal';
import './Dialog.css';

/** A question with a text, an answer and a way out. */
export function QuestionDialog({ title, confirm, isDanger = false, onConfirm, onCancel, children, isWide = false }: {
  readonly title: string;
  readonly confirm: string;
  readonly isDanger?: boolean;
  readonly isWide?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Modal label={title} isOpen onClose={onCancel} className={isWide ? '' : 'modal-question'}>
      <form noValidate className="question" onSubmit={(event) => { event.preventDefault(); onConfirm(); }}>
        <h2>{title}</h2>
        <div className="question-body">{children}</div>
        <div className="question-actions">
          <Button onPress={onCancel}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'danger' : 'primary'} autoFocus>{confirm}</Button>
        </div>
      </form>
    </Modal>
  );
}
