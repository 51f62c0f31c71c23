/** What the status of the installation says to people. */
import type { InstallationStatus, UnsentMail } from './queries';

/** A good backup is at most this old, in milliseconds: two days, for a timer that runs once a day. */
const BACKUP_AGE = 2 * 86_400_000;
/** The most rows of each list of the status (9.22). */
const MAX_LISTED = 100;

type Backup = InstallationStatus['lastBackup'];

export const MAIL_KINDS: Record<UnsentMail['kind'], string> = {
  invitation: 'Invitation to a book',
  'access-request': 'Access request',
  'sign-in-link': 'Sign-in link',
  'app-paused': 'App was paused',
};

/** Whether there is no backup, or an old one. */
export function needsBackup(backup: Backup, now: number = Date.now()): boolean {
  return !backup || now - Number(backup.finishedAt) > BACKUP_AGE;
}

/** A sentence for each list that has rows, such as `3 mails were not sent.` */
export function findingsOf({ unsentMails, pausedApps, auditsWithFindings }: InstallationStatus): string[] {
  return [
    sentence(unsentMails.length, 'mail was not sent', 'mails were not sent'),
    sentence(pausedApps.length, 'app is paused', 'apps are paused'),
    sentence(auditsWithFindings.length, 'audit has findings', 'audits have findings'),
  ].filter((text) => text !== '');
}

function sentence(count: number, one: string, several: string): string {
  if (count === 0) return '';
  const number = count >= MAX_LISTED ? `${MAX_LISTED} or more` : String(count);
  return `${number} ${count === 1 ? one : several}.`;
}
