/** The permissions of a book in words (behaviour 7.1, 7.3). */
import type { Permission } from '~/api/types';

export type GrantedPermission = Exclude<Permission, 'NONE'>;
export type SharedPermission = Exclude<GrantedPermission, 'OWNER'>;

/** From the least to the most. */
export const SHARED: readonly SharedPermission[] = ['VIEWER', 'RECORDER', 'POSTER', 'EDITOR'];

export const PERMISSION_NAMES: Record<GrantedPermission, string> = {
  VIEWER: 'Can view',
  RECORDER: 'Can record',
  POSTER: 'Can post',
  EDITOR: 'Can edit',
  OWNER: 'Owner',
};

export const PERMISSION_CHOICES = SHARED.map((value) => ({ value, label: PERMISSION_NAMES[value] }));

export const PERMISSION_EFFECTS: Record<GrantedPermission, { readonly may: string; readonly mayNot: string }> = {
  VIEWER: {
    may: 'Reads everything: transactions, balances, reports, files and history. Comments.',
    mayNot: 'Records nothing.',
  },
  RECORDER: {
    may: 'Records drafts with files, and sees and changes only the own ones. Good for receipts.',
    mayNot: 'Sees no balances, accounts or transactions of others.',
  },
  POSTER: {
    may: 'Reads everything. Records and posts transactions, and changes unchecked ones.',
    mayNot: 'Does not check transactions or change accounts.',
  },
  EDITOR: {
    may: 'Does all daily work: checks, reconciles, changes accounts and groups, shares the book, installs apps, closes periods.',
    mayNot: 'Does not make the book public, open locked dates again, delete the book or give it away.',
  },
  OWNER: {
    may: 'Does everything. A book has exactly one owner, and its storage counts for that person.',
    mayNot: '',
  },
};

/** Permissions that somebody may ask for: those that add to the current one (7.6). */
export function requestable(current: Permission, isCollaborator: boolean): readonly GrantedPermission[] {
  const added: Record<Permission, readonly GrantedPermission[]> = {
    NONE: ['VIEWER', 'RECORDER', 'POSTER', 'EDITOR'],
    VIEWER: ['RECORDER', 'POSTER', 'EDITOR', 'OWNER'],
    RECORDER: ['VIEWER', 'POSTER', 'EDITOR', 'OWNER'],
    POSTER: ['EDITOR', 'OWNER'],
    EDITOR: ['OWNER'],
    OWNER: [],
  };
  if (isCollaborator) return added[current];
  // A reader of a public book is a viewer there, and may become a collaborator with any permission but OWNER.
  return current === 'OWNER' ? [] : added.NONE;
}

/** What is wrong with a typed address, or undefined. The server checks the details (7.9). */
export function addressFault(text: string): string | undefined {
  const typed = text.trim();
  if (!typed) return 'Enter an e-mail address.';
  if (!/^[^\s@]+@[^\s@]+$/.test(typed)) return 'An address looks like name@example.com.';
  return undefined;
}
