import type { ReactNode } from 'react';
import { navigate } from '~/lib/router';
import { Button } from '~/ui/Button';
import '~/ui/page.css';
import { newBookPath } from './paths';
import { useTemplates } from './queries';
import { TemplateCards } from './TemplateCards';

/** An installation without books: what a book is, and how the first one is made. */
export function FirstBook({ children }: { readonly children?: ReactNode }) {
  const { data: templates = [] } = useTemplates();
  return (
    <div className="page">
      <section>
        <h2>Create your first book</h2>
        <p className="muted page-lead">
          A book holds your accounts and everything that moves between them. Most people need one: for a household, a business or a club.
        </p>
        {templates.length > 0 && <TemplateCards templates={templates} onChoose={(name) => navigate(newBookPath(name))} />}
        <p className="page-actions first-actions">
          <Button look={templates.length > 0 ? 'plain' : 'primary'} icon="plus" onPress={() => navigate(newBookPath())}>Start with an empty book</Button>
          {children}
        </p>
      </section>
      <section>
        <h2>Then do three things</h2>
        <ol className="steps">
          <li><strong>Enter opening balances</strong><p>What is in each account on the day you begin.</p></li>
          <li><strong>Record the first transaction</strong><p>Press <kbd>N</kbd> and type <code>12.50 lunch cash food</code>.</p></li>
          <li><strong>Look at the overview</strong><p>It shows what you have, and what comes in and goes out each month.</p></li>
        </ol>
        <p className="muted first-note">Somebody else has a book already? Ask its owner to share it with you, and it appears here.</p>
      </section>
    </div>
  );
}
