import type { ReactNode } from 'react';
import { Button } from './Button';
import './SidePanel.css';

/** The frame of a side panel: a heading, actions, and content that scrolls. */
export function SidePanel({ title, actions, onClose, children }: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <>
      <div className="panel-head">
        <h2 className="truncate">{title}</h2>
        {actions}
        <Button look="ghost" icon="close" aria-label="Close the panel" onPress={onClose} />
      </div>
      <div className="panel-body" tabIndex={-1}>{children}</div>
    </>
  );
}

/** A group of facts in a panel. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
