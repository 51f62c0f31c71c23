import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useBook } from '~/book/types';
import { decimalOrZero } from '~/lib/money';
import { Button } from '~/ui/Button';
import { Cell } from '~/ui/List';
import { handleEditKeys, isListOpen } from '~/ui/editKeys';
import { Money } from '~/ui/Money';
import { OutcomeField, TargetField, TextFields, type RecordFieldsetProps } from './RecordFieldset';

/**
 * A record as fields in its row. Enter saves and moves on, Escape restores. An open list of accounts takes both
 * keys first; an account that Enter has completed is saved at once.
 */
export function RecordEditor({ onSave, onCancel, ...props }: Omit<RecordFieldsetProps, 'isCompact'> & { readonly onSave: () => void; readonly onCancel: () => void }) {
  const { day, numbers } = useBook();
  const { record } = props;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const fields = frame.current?.querySelectorAll<HTMLInputElement>('.import-account input:not(:disabled), .import-account select');
    const first = fields?.[0];
    first?.focus({ preventScroll: true });
    if (first instanceof HTMLInputElement) first.select();
  }, []);
  const isEntered = useRef(false);
  const onChange: RecordFieldsetProps['onChange'] = (part) => {
    props.onChange(part);
    if (!isEntered.current || !part.account) return;
    isEntered.current = false;
    setTimeout(onSave);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.nativeEvent.isComposing) isEntered.current = isListOpen(event) && event.key === 'Enter';
    handleEditKeys(event, onSave, onCancel);
  };
  const fieldset = { ...props, onChange, isCompact: true };
  return (
    <div ref={frame} className="import-edit row-fields" onKeyDownCapture={onKeyDown} onClick={(event) => event.stopPropagation()}>
      <Cell className="import-date">{record.date && day(record.date)}</Cell>
      <Cell className="import-outcome"><OutcomeField {...fieldset} /></Cell>
      <Cell className="import-description"><TextFields {...fieldset} /></Cell>
      <Cell className="import-account"><TargetField {...fieldset} /></Cell>
      <Cell isNumber className="import-amount">{record.amount !== undefined && <Money value={decimalOrZero(record.amount)} style={numbers} />}</Cell>
      <Cell className="import-why">
        <Button onPress={onSave}>Save</Button> <span className="muted"><kbd>Esc</kbd> restores</span>
      </Cell>
    </div>
  );
}
