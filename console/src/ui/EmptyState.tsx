import type { ReactNode } from 'react';
import './EmptyState.css';

/** What a view shows when it has nothing to show: a title, why, and what to do next. */
export function EmptyState({ title, children, actions }: { readonly title: string; readonly children?: ReactNode; readonly actions?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p className="muted">{children}</p>}
      {actions && <div className="empty-actions">{actions}</div>}
    </div>
  );
}

/** Placeholder lines while something loads. Hidden for the first moments, so that quick loads do not flash. */
export function Loading({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      <span /><span /><span />
    </div>
  );
}
