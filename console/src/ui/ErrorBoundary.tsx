import { Component, type ReactNode } from 'react';
import { Button } from './Button';
import { EmptyState } from './EmptyState';

/** Shows an error of rendering instead of an empty page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // A chunk that is gone means that the server has a newer console.
    const isOutdated = error instanceof Error && /dynamically imported module|Importing a module/.test(error.message);
    return (
      <EmptyState
        title={isOutdated ? 'The console was updated' : 'This view has failed'}
        actions={<Button look="primary" onPress={() => window.location.reload()}>Reload</Button>}
      >
        {isOutdated ? 'Reload the page to get the new version.' : String(error instanceof Error ? error.message : error)}
      </EmptyState>
    );
  }
}
