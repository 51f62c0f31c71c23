import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal as AriaModal, ModalOverlay } from 'react-aria-components/Modal';
import './Modal.css';

/** A dialog over the page. Use a side panel instead wherever the page behind it stays useful. */
export function Modal({ label, isOpen, onClose, className = '', children }: {
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <ModalOverlay isDismissable isOpen={isOpen} onOpenChange={(open) => !open && onClose()} className="modal-overlay">
      <AriaModal className={`modal ${className}`}>
        <Dialog aria-label={label} className="modal-dialog">{children}</Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
