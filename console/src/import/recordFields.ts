/** A record as fields that a person corrects, and the decision that they make. */
import { readTagEdit } from '~/transaction/tags';
import { decide, possibleOutcomes, proposalOf, type Decisions } from './decisions';
import type { ImportRecord } from './types';

export interface RecordFields {
  readonly outcome: 'NEW' | 'MATCHED' | 'SKIPPED';
  /** Id of the other account, or the name of one that is created. */
  readonly account: string;
  readonly accountName: string;
  readonly description: string;
  /** Hashtags as typed: `#food travel`. */
  readonly tags: string;
  readonly match: string;
}

/** The fields of a record, or undefined if nothing can be decided about it. */
export function fieldsOf(record: ImportRecord, decisions: Decisions): RecordFields | undefined {
  const outcomes = possibleOutcomes(record);
  if (outcomes.length === 0) return undefined;
  const proposal = proposalOf(record, decisions);
  const decision = decisions.byRecord[record.record];
  return {
    outcome: outcomes.find((outcome) => outcome === proposal.outcome) ?? 'NEW',
    account: decision?.account ?? proposal.accountId ?? '',
    accountName: decision?.accountName ?? proposal.account ?? '',
    description: proposal.description,
    tags: proposal.tags.map((tag) => `#${tag}`).join(' '),
    match: decision?.match ?? (record.outcome === 'MATCHED' ? (record.transactionId ?? '') : ''),
  };
}

/** What is wrong with the fields, or undefined. */
export function problemOf({ outcome, tags, match }: RecordFields): string | undefined {
  if (outcome === 'MATCHED' && !match) return 'Choose the transaction that it is.';
  if (outcome === 'NEW' && tags.trim() && !tagsOf(tags)) return 'Tags are letters, digits and _.';
  return undefined;
}

function tagsOf(text: string): readonly string[] | undefined {
  if (!text.trim()) return [];
  const edit = readTagEdit(text);
  return edit && edit.remove.length === 0 ? edit.add : undefined;
}

/** The decisions with those of the fields. The account counts only when it was changed: an accepted suggestion stays one. */
export function saveFields(decisions: Decisions, record: ImportRecord, fields: RecordFields): Decisions {
  const before = fieldsOf(record, decisions);
  const decision = decisions.byRecord[record.record];
  const isSame = before?.account === fields.account && before.accountName === fields.accountName;
  const { outcome, account, accountName, description, tags, match } = fields;
  return decide(decisions, record, {
    outcome,
    description,
    tags: tagsOf(tags) ?? [],
    match: outcome === 'MATCHED' ? match : '',
    ...(isSame ? { account: decision?.account ?? '', accountName: decision?.accountName ?? '' } : { account, accountName }),
  });
}
