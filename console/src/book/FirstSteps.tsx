import { useState } from 'react';
import { useHeaderInfo } from '~/frame/headerInfo';
import { importsPath } from '~/import/paths';
import { Button } from '~/ui/Button';
import { Link } from '~/ui/Link';
import { navigate } from '~/lib/router';
import '~/ui/page.css';
import { applyTemplate } from './actions';
import { Attention } from './Attention';
import { bookPath } from './paths';
import { useTemplates } from './queries';
import { TemplateCards } from './TemplateCards';
import { useBook } from './types';

/** A book without transactions: it offers the starter charts and the three first things to do. */
export function FirstSteps() {
  const { id, accounts, book, can } = useBook();
  useHeaderInfo({ title: 'Overview' });
  const hasAccounts = accounts.length > 0;
  return (
    <div className="page">
      {!hasAccounts && can('EDITOR') && <ChooseChart />}
      <section>
        <h2>{hasAccounts ? `${book.name} is ready` : 'Then do three things'}</h2>
        <ol className="steps">
          <li className={hasAccounts ? 'is-done' : ''}>
            <strong><Link to={bookPath(id, 'accounts')}>Look at your accounts</Link></strong>
            <p>Rename what does not fit, archive what you do not need, and add what is missing.</p>
          </li>
          <li>
            <strong><Link to={bookPath(id, 'opening-balances')}>Enter opening balances</Link></strong>
            <p>What is in each account on the day you begin.</p>
          </li>
          <li>
            <strong><Link to={bookPath(id, 'transactions')}>Record the first transaction</Link></strong>
            <p>Press <kbd>N</kbd> and type an amount, what it was for, where it comes from and where it goes: <code>12.50 lunch cash food</code>. Or <Link to={importsPath(id)}>import a file of your bank</Link>.</p>
          </li>
        </ol>
      </section>
      {hasAccounts && <section><Attention /></section>}
    </div>
  );
}

function ChooseChart() {
  const { id } = useBook();
  const { data: templates = [] } = useTemplates();
  const [isPending, setPending] = useState(false);
  const choose = async (name: string) => {
    const template = templates.find((candidate) => candidate.name === name);
    if (!template || isPending) return;
    setPending(true);
    await applyTemplate(id, name, template.book);
    setPending(false);
  };
  return (
    <section>
      <h2>Choose your accounts</h2>
      <p className="muted page-lead">
        A transaction moves money from one account to another. {templates.length > 0 ? 'A starter chart gives you the usual ones; you can change them at any time.' : 'Add the first ones.'}
      </p>
      {templates.length > 0 && <TemplateCards templates={templates} onChoose={(name) => void choose(name)} isDisabled={isPending} />}
      <p className="page-actions first-actions"><Button icon="plus" onPress={() => navigate(`${bookPath(id, 'accounts')}?panel=account:new`)}>Add accounts yourself</Button></p>
    </section>
  );
}
