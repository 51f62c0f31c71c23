import { useId, type ReactNode } from 'react';
import './Section.css';

/** A page of sections below each other, for settings and forms. */
export function SectionPage({ children }: { readonly children: ReactNode }) {
  return <div className="sections">{children}</div>;
}

/** A part of a page: a heading, one sentence about it, and its content. */
export function Section({ title, lead, actions, children }: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {lead && <p className="muted section-lead">{lead}</p>}
      {children}
    </section>
  );
}

/** A message inside a page that needs attention. */
export function Notice({ tone = 'info', children }: { readonly tone?: 'info' | 'warning' | 'error'; readonly children: ReactNode }) {
  return <div className={`notice notice-${tone}`} role={tone === 'error' ? 'alert' : 'note'}>{children}</div>;
}
