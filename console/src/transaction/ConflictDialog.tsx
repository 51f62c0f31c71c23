import { useState } from 'react';
import type { Transaction } from '~/api/types';
import { differingFields, fieldsOf, type Fields } from './changes';
import { QuestionDialog } from './Dialog';
import { chooseAll, chosenFields, FieldChoice } from './FieldChoice';

/** Shows the own and the stored version of a transaction that somebody else has changed meanwhile. */
export function ConflictDialog({ mine, theirs, onAnswer }: {
  readonly mine: Fields;
  readonly theirs: Transaction;
  readonly onAnswer: (fields: Fields | undefined) => void;
}) {
  const stored = fieldsOf(theirs);
  const [choice, setChoice] = useState(chooseAll(0));
  const fields = differingFields(mine, stored);
  return (
    <QuestionDialog title="Two versions" confirm="Save the chosen values" isWide onConfirm={() => onAnswer(chosenFields([mine, stored], choice))} onCancel={() => onAnswer(undefined)}>
      {fields.length === 0 ? (
        <p>Somebody else changed this transaction, but no field that you see. Save your change anyway?</p>
      ) : (
        <FieldChoice
          caption="Somebody else changed this transaction while you edited it. Choose a value for each field."
          titles={['Yours', 'Stored now']}
          versions={[mine, stored]}
          {...{ fields, choice }}
          onChange={setChoice}
        />
      )}
    </QuestionDialog>
  );
}
