import { Icon } from '~/ui/Icon';

export interface EntryToggle {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Opens and closes the legs of an entry. For the mouse; the keyboard uses the arrow keys. */
export function LegsToggle({ count, isOpen, onToggle }: EntryToggle & { readonly count: number }) {
  return (
    <button type="button" className="tx-legs" tabIndex={-1} aria-expanded={isOpen} onClick={onToggle} title={isOpen ? 'Close the legs (←)' : 'Open the legs (→)'}>
      <Icon name={isOpen ? 'down' : 'right'} size={12} /> {count} legs
    </button>
  );
}
