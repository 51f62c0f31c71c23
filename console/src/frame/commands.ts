/** The commands of the palette: views, shortcuts that have a handler, accounts, groups, queries and books. */
import { useEffect, useMemo } from 'react';
import { useBooks } from '~/book/queries';
import { accountPath, bookHomePath, groupPath } from '~/book/paths';
import { useOptionalBook } from '~/book/types';
import { SHORTCUTS } from '~/lib/keymap';
import { navigate } from '~/lib/router';
import { isHandled, runShortcut } from '~/ui/shortcuts';
import { bookNav, navPath } from './registry';

export interface Command {
  readonly id: string;
  readonly label: string;
  /** What kind of thing it is: `Go to`, `Account`. */
  readonly kind: string;
  readonly keys?: string;
  readonly run: () => void;
}

const extra = new Map<string, Command>();

/** Adds a command to the palette while the component is mounted. */
export function useCommand(command: Command): void {
  useEffect(() => {
    extra.set(command.id, command);
    return () => {
      extra.delete(command.id);
    };
  });
}

const SKIPPED = new Set(['palette', 'next', 'previous', 'page-down', 'page-up', 'first', 'last', 'close', 'panel-close']);

export function useCommands(): readonly Command[] {
  const book = useOptionalBook();
  const books = useBooks().data;
  return useMemo(() => {
    const commands: Command[] = [...extra.values()];
    if (book) {
      for (const route of bookNav) {
        const keys = SHORTCUTS.find(({ id }) => id === route.nav!.shortcut)?.keys[0];
        commands.push({ id: route.path + (route.nav!.search ?? ''), label: route.title, kind: 'Go to', ...(keys ? { keys } : {}), run: () => navigate(navPath(route, book.id)) });
      }
      for (const account of book.accounts) {
        commands.push({ id: `account ${account.id}`, label: account.name!, kind: 'Account', run: () => navigate(accountPath(book.id, account.id!)) });
      }
      for (const group of book.groups) {
        commands.push({ id: `group ${group.id}`, label: group.name!, kind: 'Group', run: () => navigate(groupPath(book.id, group.id!)) });
      }
    }
    for (const entry of SHORTCUTS) {
      if (SKIPPED.has(entry.id) || entry.id.startsWith('go-') || !isHandled(entry.id)) continue;
      commands.push({ id: entry.id, label: entry.label, kind: 'Do', keys: entry.keys[0]!, run: () => runShortcut(entry.id) });
    }
    for (const { id, name } of books ?? []) {
      commands.push({ id: `book ${id}`, label: name!, kind: 'Book', run: () => navigate(bookHomePath(id!)) });
    }
    return commands;
  }, [book, books]);
}
