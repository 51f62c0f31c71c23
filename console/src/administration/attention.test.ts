import { expect, test } from 'vitest';
import { findingsOf, needsBackup } from './attention';
import type { InstallationStatus } from './queries';

const DAY = 86_400_000;

const status = (mails: number, apps: number, audits: number): InstallationStatus => ({
  version: '1.0.0',
  unsentMails: Array.from({ length: mails }, (_, at) => ({ id: String(at), recipient: 'a@example.com', kind: 'invitation', createdAt: '1', reason: 'refused' })),
  pausedApps: Array.from({ length: apps }, () => ({ agentId: 'bot', bookId: 'b', pausedAt: '1', cause: 'failing' })),
  auditsWithFindings: Array.from({ length: audits }, () => ({ bookId: 'b', sequence: 1, findings: 2, auditedAt: '1' })),
});

test('each list that has rows gives a sentence', () => {
  expect(findingsOf(status(0, 0, 0))).toEqual([]);
  expect(findingsOf(status(1, 0, 2))).toEqual(['1 mail was not sent.', '2 audits have findings.']);
  expect(findingsOf(status(3, 1, 1))).toEqual(['3 mails were not sent.', '1 app is paused.', '1 audit has findings.']);
});

test('a full list may have more rows', () => {
  expect(findingsOf(status(100, 0, 0))).toEqual(['100 or more mails were not sent.']);
});

test('a backup is missing or old', () => {
  const backup = (finishedAt: number) => ({ finishedAt: String(finishedAt), bytes: 1, place: '/backups' });
  expect(needsBackup(undefined)).toBe(true);
  expect(needsBackup(backup(10 * DAY), 12 * DAY)).toBe(false);
  expect(needsBackup(backup(10 * DAY), 12 * DAY + 1)).toBe(true);
});
