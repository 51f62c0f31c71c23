import { Button } from '~/ui/Button';
import { Menu, type MenuEntry } from '~/ui/Menu';

/** The button of all views that download something: a menu of formats. It stands at the end of the bar above a list. */
export function DownloadMenu({ entries, look = 'ghost', what = '', progress, isDisabled = false }: {
  readonly entries: readonly MenuEntry[];
  readonly look?: 'plain' | 'ghost';
  /** Names the list where a view has several, or a list beside other things: `the history`. */
  readonly what?: string;
  /** Shown in place of the word while a long list is read. */
  readonly progress?: string | undefined;
  readonly isDisabled?: boolean;
}) {
  const label = what ? `Download ${what}` : 'Download';
  return (
    <Menu
      label={label}
      trigger={<Button look={look} icon="down" isDisabled={isDisabled} {...(progress ? {} : { 'aria-label': label })}>{progress ?? 'Download'}</Button>}
      entries={entries}
    />
  );
}
