import { useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { changeDecisions } from './actions';
import { acceptSuggestions, decide, proposalOf, reset } from './decisions';
import { readDecisions } from './decisionStore';
import { fieldsOf } from './recordFields';
import type { Import, ImportRecord } from './types';

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The id of the candidate after the current match, the first one at the beginning. */
export function nextCandidate(record: ImportRecord, current: string | undefined): string | undefined {
  const ids = (record.candidates ?? []).map(({ id }) => id);
  return ids[(ids.indexOf(current ?? '') + 1) % Math.max(1, ids.length)];
}

/** Skips records, or records them after all. */
function toggleSkip(runId: string, records: readonly ImportRecord[]): void {
  const before = readDecisions(runId);
  const isSkipped = records.every((record) => proposalOf(record, before).outcome === 'SKIPPED');
  const open = records.filter((record) => fieldsOf(record, before) !== undefined);
  const next = open.reduce((done, record) => decide(done, record, { outcome: isSkipped ? (record.outcome === 'MATCHED' ? 'MATCHED' : 'NEW') : 'SKIPPED' }), before);
  changeDecisions(runId, isSkipped ? 'Recorded after all' : 'Skipped', next);
}

/** The keys of a preview. They act on the selected records, or on that of the cursor. */
export function useRecordKeys({ run, targets, isEnabled, edit, clear, keepRule }: {
  readonly run: Import;
  readonly targets: () => readonly ImportRecord[];
  readonly isEnabled: boolean;
  readonly edit: () => boolean;
  readonly clear: () => void;
  readonly keepRule: (record: ImportRecord) => void;
}): void {
  useShortcut('import-edit', () => {
    if (!edit()) showToast('Nothing can be decided about this record');
  }, isEnabled);
  useShortcut('import-accept', () => {
    const { decisions, count } = acceptSuggestions(readDecisions(run.id), targets());
    if (count === 0) return showToast('These records have no open suggestion');
    changeDecisions(run.id, `Accepted ${plural(count, 'suggestion')}`, decisions);
    clear();
    return undefined;
  }, isEnabled);
  useShortcut('import-skip', () => {
    toggleSkip(run.id, targets());
    clear();
  }, isEnabled);
  useShortcut('import-match', () => {
    const [record] = targets();
    const before = readDecisions(run.id);
    const match = record && fieldsOf(record, before) && nextCandidate(record, before.byRecord[record.record]?.match);
    if (!match) return showToast('This record has no candidate to match with');
    return changeDecisions(run.id, 'Matched', decide(before, record, { match, outcome: 'MATCHED' }));
  }, isEnabled);
  useShortcut('import-reset', () => {
    changeDecisions(run.id, 'Back to the preview', reset(readDecisions(run.id), targets()));
    clear();
  }, isEnabled);
  useShortcut('import-rule', () => {
    const [record] = targets();
    if (record) keepRule(record);
  }, isEnabled);
}
