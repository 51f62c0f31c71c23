import { Icon } from './Icon';
import './RowToggle.css';

/** Opens and closes a row of a tree by mouse; the keys for it belong to the list. Without `onToggle` it is a space. */
export function RowToggle({ isOpen = false, name = 'the group', onToggle }: {
  readonly isOpen?: boolean | undefined;
  /** What the row is, for its label. */
  readonly name?: string;
  readonly onToggle?: (() => void) | undefined;
}) {
  if (!onToggle) return <span className="row-toggle" />;
  return (
    <button type="button" tabIndex={-1} className="row-toggle" aria-expanded={isOpen} aria-label={`${isOpen ? 'Close' : 'Open'} ${name}`} onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} size={11} />
    </button>
  );
}
