import { Icon } from '~/ui/Icon';
import type { Starter } from './queries';
import './TemplateCards.css';

/** The starter charts as buttons. `selected` marks one, where the choice belongs to a form. */
export function TemplateCards({ templates, selected, onChoose, withEmpty = false, isDisabled = false }: {
  readonly templates: readonly Starter[];
  readonly selected?: string | undefined;
  readonly onChoose: (name: string) => void;
  /** Adds a card for a book without accounts. */
  readonly withEmpty?: boolean;
  readonly isDisabled?: boolean;
}) {
  const cards = templates.map(({ name, description, book }) => ({
    name, description, detail: `${book.accounts?.length ?? 0} accounts in ${book.groups?.length ?? 0} groups`,
  }));
  if (withEmpty) cards.push({ name: '', description: 'Without accounts. Add your own.', detail: 'No accounts' });
  return (
    <div className="templates" role="group" aria-label="Starter charts">
      {cards.map(({ name, description, detail }) => (
        <button
          key={name}
          type="button"
          className="template"
          aria-pressed={selected === undefined ? undefined : selected === name}
          disabled={isDisabled}
          onClick={() => onChoose(name)}
        >
          <span className="template-name">
            <bdi>{name || 'Empty book'}</bdi>
            {selected === name && <Icon name="check" size={14} />}
          </span>
          <bdi className="muted">{description}</bdi>
          <span className="muted template-detail">{detail}</span>
        </button>
      ))}
    </div>
  );
}
