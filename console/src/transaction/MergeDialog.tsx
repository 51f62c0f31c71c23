import { useState } from 'react';
import type { Transaction } from '~/api/types';
import { differingFields, fieldsOf, type Fields } from './changes';
import { QuestionDialog } from './Dialog';
import { chooseAll, chosenFields, FieldChoice, type Choice } from './FieldChoice';

/** Each field begins with the value that exists; a posted transaction wins over a draft. */
function initialChoice(rows: readonly [Transaction, Transaction]): Choice {
  const [left, right] = [fieldsOf(rows[0]), fieldsOf(rows[1])];
  const side = !rows[0].posted && rows[1].posted ? 1 : 0;
  const choice = { ...chooseAll(side) };
  for (const field of Object.keys(choice) as (keyof Fields)[]) {
    if (!(side === 0 ? left : right)[field]) choice[field] = side === 0 ? 1 : 0;
  }
  return choice;
}

/** A choice for each field in which two transactions differ, before they become one. */
export function MergeDialog({ rows, onAnswer }: {
  readonly rows: readonly [Transaction, Transaction];
  readonly onAnswer: (fields: Fields | undefined) => void;
}) {
  const versions = [fieldsOf(rows[0]), fieldsOf(rows[1])] as const;
  const [choice, setChoice] = useState(() => initialChoice(rows));
  const fields = differingFields(...versions);
  const merged = chosenFields(versions, choice);
  const isSameAccount = merged.from !== '' && merged.from === merged.to;
  return (
    <QuestionDialog title="Merge two transactions" confirm="Merge" isWide onConfirm={() => !isSameAccount && onAnswer(merged)} onCancel={() => onAnswer(undefined)}>
      {fields.length === 0 ? (
        <p>Both have the same date, description, amount and accounts. One of them will remain.</p>
      ) : (
        <FieldChoice caption="Choose a value for each field." titles={['First', 'Second']} {...{ versions, fields, choice }} onChange={setChoice} />
      )}
      <p className={isSameAccount ? 'negative' : 'muted'} role={isSameAccount ? 'alert' : undefined}>
        {isSameAccount ? 'From and To are the same account. Choose another one.' : 'Files, links, properties and remote ids of both are kept. The originals go to the trash.'}
      </p>
    </QuestionDialog>
  );
}
