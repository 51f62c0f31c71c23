import { useBook } from '~/book/types';
import { formatCount } from '~/lib/money';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { TYPE_NAMES, type AccountType } from '~/lib/signs';
import { Keys } from '~/ui/Keys';
import { useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { changeDecisions, useConfirm, useDiscard } from './actions';
import { confirmationOf, countOutcomes, DEFAULT_THRESHOLD, MAX_DECISIONS, THRESHOLDS, type Decisions } from './decisions';
import { readDecisions } from './decisionStore';
import { importsPath } from './paths';
import { percent } from './RecordCells';
import type { Import } from './types';

const UNCATEGORISED = /^Uncategorised (expenses|income)$/;

/** What is decided for all records, and the button that records them. */
export function ConfirmBar({ run, decisions }: { readonly run: Import; readonly decisions: Decisions }) {
  const { id: bookId, numbers } = useBook();
  const confirm = useConfirm();
  const discard = useDiscard();
  const counts = countOutcomes(run.counts, decisions);
  const recorded = counts.NEW + counts.MATCHED;
  const tooMany = Object.keys(decisions.byRecord).length > MAX_DECISIONS;
  const record = () => {
    if (tooMany) return showToast(`An import takes at most ${formatCount(MAX_DECISIONS, numbers)} decisions. Rules or suggestions decide about more.`, { tone: 'error' });
    if (!confirm.isPending) void confirm.run({ run, body: confirmationOf(readDecisions(run.id), run.accountsToCreate) });
    return undefined;
  };
  useShortcut('import-confirm', record);
  const canHaveRules = /CSV|XLS|ODS|HTML/i.test(run.format ?? '');
  return (
    <div className="page-bar import-bar" role="toolbar" aria-label="Import">
      <Button look="primary" shortcut="import-confirm" isDisabled={confirm.isPending} onPress={record}>
        {confirm.isPending ? 'Recording' : recorded > 0 ? `Record ${formatCount(recorded, numbers)}` : 'Finish'}
      </Button>
      <Threshold run={run} decisions={decisions} />
      {canHaveRules && <Button onPress={() => navigate(withParams({ panel: `import-rules:${run.id}` }))}>Rules</Button>}
      <NewAccounts run={run} decisions={decisions} />
      <span className="page-bar-end">
        <Button look="ghost" isDisabled={discard.isPending || confirm.isPending} onPress={() => void discard.run(run).then(() => navigate(importsPath(bookId)))}>Discard</Button>
      </span>
    </div>
  );
}

/** Accepts the suggestions from a confidence on, in the whole file. */
function Threshold({ run, decisions }: { readonly run: Import; readonly decisions: Decisions }) {
  const isOn = decisions.acceptAbove !== undefined;
  const threshold = decisions.acceptAbove ?? DEFAULT_THRESHOLD;
  const set = (value: number | undefined) => {
    const { acceptAbove: _old, ...rest } = readDecisions(run.id);
    const label = value === undefined ? 'Suggestions are not accepted' : `Accepted suggestions from ${percent(value)} on`;
    changeDecisions(run.id, label, value === undefined ? rest : { ...rest, acceptAbove: value });
    showToast(label);
  };
  const toggle = () => set(isOn ? undefined : threshold);
  useShortcut('import-accept-all', toggle);
  return (
    <span className="import-threshold">
      <label>
        <input type="checkbox" checked={isOn} onChange={toggle} /> Accept suggestions from
      </label>
      <ChoiceField
        label="Threshold"
        isCompact
        value={String(threshold)}
        onChange={(value) => set(Number(value))}
        choices={THRESHOLDS.map((value) => ({ value: String(value), label: percent(value) }))}
      />
      <Keys of="import-accept-all" />
    </span>
  );
}

/** The accounts that the confirmation creates. Records of those that are taken out are uncategorised. */
function NewAccounts({ run, decisions }: { readonly run: Import; readonly decisions: Decisions }) {
  const { can } = useBook();
  const { accountsToCreate } = run;
  if (accountsToCreate.length === 0) return null;
  const refused = new Set(decisions.refusedAccounts);
  const count = accountsToCreate.filter(({ name }) => !refused.has(name)).length;
  const toggle = (name: string) => {
    const before = readDecisions(run.id);
    const isRefused = before.refusedAccounts.includes(name);
    const refusedAccounts = isRefused ? before.refusedAccounts.filter((other) => other !== name) : [...before.refusedAccounts, name];
    changeDecisions(run.id, isRefused ? `${name} is created` : `${name} is not created`, { ...before, refusedAccounts });
  };
  return (
    <details className="import-accounts">
      <summary>{count === 1 ? '1 account is created' : `${count} accounts are created`}</summary>
      <div className="import-accounts-list">
        {!can('EDITOR') && <p className="muted">You may not create accounts. Ask somebody who edits the book to create them first.</p>}
        <ul>
          {accountsToCreate.map(({ name, type, group }) => (
            <li key={name}>
              <label>
                <input type="checkbox" checked={!refused.has(name)} disabled={UNCATEGORISED.test(name)} onChange={() => toggle(name)} />{' '}
                <bdi>{name}</bdi>
              </label>
              <span className="muted"> {TYPE_NAMES[type as AccountType]}{group && <>, <bdi>{group}</bdi></>}</span>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
