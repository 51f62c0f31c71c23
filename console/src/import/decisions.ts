/**
 * The decisions about the records of a preview (behaviour 15.8), before they are confirmed: what they make of
 * a record, of the counts, and of the body of the confirmation.
 */
import { isNegative, parseDecimal } from '~/lib/money';
import type { Import, ImportAccount, ImportConfirmation, ImportRecord, Outcome } from './types';

export interface Decision {
  readonly outcome?: 'NEW' | 'MATCHED' | 'SKIPPED';
  /** Id of the other account, or the name of one that the confirmation creates. */
  readonly account?: string;
  /** For display, also when the account is not in the book yet. */
  readonly accountName?: string;
  readonly match?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** The outcome of the record in the preview, for the counts. */
  readonly was: Outcome;
}

export interface Decisions {
  readonly byRecord: Readonly<Record<number, Decision>>;
  /** Suggestions with at least this confidence are accepted. */
  readonly acceptAbove?: number;
  /** Accounts of `accountsToCreate` that are not created. */
  readonly refusedAccounts: readonly string[];
}

export const NO_DECISIONS: Decisions = { byRecord: {}, refusedAccounts: [] };

/** The server takes at most this many. */
export const MAX_DECISIONS = 10_000;

export const THRESHOLDS = [0.6, 0.8, 0.9, 0.95, 1] as const;
export const DEFAULT_THRESHOLD = 0.9;

export function hasDecisions({ byRecord, acceptAbove, refusedAccounts }: Decisions): boolean {
  return acceptAbove !== undefined || refusedAccounts.length > 0 || Object.keys(byRecord).length > 0;
}

/** The other account of a record: that which is not the account of the statement. */
export function otherAccount({ amount, from, to }: ImportRecord): ImportAccount | undefined {
  if (amount === undefined) return undefined;
  return isNegative(parseDecimal(amount)) ? to : from;
}

/** Whether a rule, the file or a transfer has named the other account. */
export function hasOwnAccount(record: ImportRecord): boolean {
  return !record.uncategorised && otherAccount(record) !== undefined;
}

export type AccountSource = 'decision' | 'suggestion' | 'rule' | 'file' | 'none';

/** What is recorded of a record when the decisions are confirmed. */
export interface Proposal {
  readonly outcome: Outcome;
  /** Name of the other account; undefined if it is open. */
  readonly account: string | undefined;
  readonly accountId: string | undefined;
  readonly source: AccountSource;
  /** A suggestion that has not been accepted. */
  readonly isOffered: boolean;
  readonly description: string;
  readonly tags: readonly string[];
  readonly isDecided: boolean;
}

export function proposalOf(record: ImportRecord, { byRecord, acceptAbove }: Decisions): Proposal {
  const decision = byRecord[record.record];
  const outcome = decision?.outcome ?? (decision?.match ? 'MATCHED' : record.outcome);
  const common = {
    outcome,
    description: decision?.description ?? record.description ?? '',
    tags: decision?.tags ?? [],
    isDecided: decision !== undefined,
  };
  const found = otherAccount(record);
  if (outcome === 'NEW') {
    if (decision?.account) {
      const isName = decision.accountName === decision.account;
      return { ...common, account: decision.accountName ?? decision.account, accountId: isName ? undefined : decision.account, source: 'decision', isOffered: false };
    }
    if (!hasOwnAccount(record) && record.suggestion) {
      const isAccepted = acceptAbove !== undefined && record.suggestion.confidence >= acceptAbove;
      if (isAccepted) {
        const { account } = record.suggestion;
        return { ...common, account: account.name, accountId: account.id, source: 'suggestion', isOffered: false };
      }
      return { ...common, account: undefined, accountId: undefined, source: 'none', isOffered: true };
    }
  }
  const isOpen = record.uncategorised || !found;
  return {
    ...common,
    account: isOpen ? undefined : found.name,
    accountId: isOpen ? undefined : found.id,
    source: isOpen ? 'none' : record.rule ? 'rule' : 'file',
    isOffered: false,
  };
}

/** The outcomes that a decision may give a record. Refused and existing ones keep theirs. */
export function possibleOutcomes(record: ImportRecord): readonly ('NEW' | 'MATCHED' | 'SKIPPED')[] {
  const { outcome, candidates, transactionId } = record;
  const isTrashed = outcome === 'SKIPPED' && transactionId !== undefined;
  if (isTrashed) return ['NEW', 'SKIPPED'];
  if (outcome !== 'NEW' && outcome !== 'MATCHED') return [];
  const canMatch = outcome === 'MATCHED' || (candidates?.length ?? 0) > 0;
  return canMatch ? ['NEW', 'MATCHED', 'SKIPPED'] : ['NEW', 'SKIPPED'];
}

/**
 * Changes the decision about a record. What equals the preview is left out, and so is what a record that is
 * not recorded cannot have.
 */
export function decide(decisions: Decisions, record: ImportRecord, change: Partial<Omit<Decision, 'was'>>): Decisions {
  const merged: Decision = { ...decisions.byRecord[record.record], ...change, was: record.outcome };
  const outcome = merged.outcome ?? (merged.match ? 'MATCHED' : record.outcome);
  const isNew = outcome === 'NEW';
  const description = merged.description?.trim();
  const next: Decision = {
    was: record.outcome,
    ...(outcome !== record.outcome && outcome !== 'EXISTING' && outcome !== 'REFUSED' ? { outcome } : {}),
    ...(outcome === 'MATCHED' && merged.match && merged.match !== record.transactionId ? { match: merged.match } : {}),
    ...(isNew && merged.account ? { account: merged.account, accountName: merged.accountName ?? merged.account } : {}),
    ...(isNew && description !== undefined && description !== (record.description ?? '') ? { description } : {}),
    ...(isNew && merged.tags && merged.tags.length > 0 ? { tags: merged.tags } : {}),
  };
  const { [record.record]: _old, ...others } = decisions.byRecord;
  return { ...decisions, byRecord: Object.keys(next).length > 1 ? { ...others, [record.record]: next } : others };
}

/** Takes the decisions about records back. */
export function reset(decisions: Decisions, records: readonly ImportRecord[]): Decisions {
  const byRecord = { ...decisions.byRecord };
  for (const { record } of records) delete byRecord[record];
  return { ...decisions, byRecord };
}

/** Accepts the suggestions of records. Returns how many there were. */
export function acceptSuggestions(decisions: Decisions, records: readonly ImportRecord[]): { readonly decisions: Decisions; readonly count: number } {
  const open = records.filter((record) => proposalOf(record, decisions).isOffered);
  const next = open.reduce((done, record) => {
    const { id, name } = record.suggestion!.account;
    return decide(done, record, { account: id ?? name, accountName: name });
  }, decisions);
  return { decisions: next, count: open.length };
}

const COUNT_OF: Record<Outcome, 'new' | 'existing' | 'matched' | 'skipped' | 'refused'> = {
  NEW: 'new', EXISTING: 'existing', MATCHED: 'matched', SKIPPED: 'skipped', REFUSED: 'refused',
};

/** Records by outcome, decisions included. They add up to the same total. */
export function countOutcomes(counts: Import['counts'], { byRecord }: Decisions): Record<Outcome, number> {
  const result: Record<Outcome, number> = {
    NEW: counts.new, EXISTING: counts.existing, MATCHED: counts.matched, SKIPPED: counts.skipped, REFUSED: counts.refused,
  };
  for (const { was, outcome, match } of Object.values(byRecord)) {
    const now = outcome ?? (match ? 'MATCHED' : was);
    result[was] -= 1;
    result[now] += 1;
  }
  return result;
}

export function countOf(counts: Import['counts'], outcome: Outcome): number {
  return counts[COUNT_OF[outcome]];
}

/** The body of the confirmation. */
export function confirmationOf({ byRecord, acceptAbove, refusedAccounts }: Decisions, accountsToCreate: Import['accountsToCreate']): ImportConfirmation {
  const decisions = Object.entries(byRecord)
    .map(([record, { outcome, account, match, description, tags }]) => ({
      record: Number(record),
      ...(outcome ? { outcome } : {}),
      ...(account ? { account } : {}),
      ...(match ? { match } : {}),
      ...(description !== undefined ? { description } : {}),
      ...(tags && tags.length > 0 ? { tags: [...tags] } : {}),
    }))
    .sort((left, right) => left.record - right.record);
  const refused = new Set(refusedAccounts);
  const created = accountsToCreate.map(({ name }) => name);
  return {
    ...(decisions.length > 0 ? { decisions } : {}),
    ...(acceptAbove !== undefined ? { acceptAbove } : {}),
    ...(created.some((name) => refused.has(name)) ? { createAccounts: created.filter((name) => !refused.has(name)) } : {}),
  };
}

/** Why a record has its outcome and its account, in one line. */
export function reasonOf(record: ImportRecord, proposal: Proposal): string {
  if (proposal.outcome !== record.outcome) return 'You decided this';
  if (record.outcome !== 'NEW') return sentenceCase(record.reason ?? '');
  if (proposal.source === 'decision') return 'You chose the account';
  if (record.suggestion && (proposal.source === 'suggestion' || proposal.isOffered)) return record.suggestion.reason;
  if (record.candidates && record.candidates.length > 0) return `May be ${record.candidates.length === 1 ? 'a transaction' : `one of ${record.candidates.length}`} of the book`;
  if (record.draft) return record.date ? 'Becomes a draft' : 'Becomes a draft: it has no date';
  if (proposal.source === 'rule') return `Rule on line ${record.rule}`;
  if (proposal.source === 'file') return 'The file or its rules name the account';
  if (proposal.source === 'none') return 'No other account is known';
  return sentenceCase(record.reason ?? '');
}

export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
