import { useId, type ReactNode } from 'react';
import { useBook } from '~/book/types';
import { usePrefs } from '~/ui/prefs';
import type { FieldName, Fields } from './changes';

export type Side = 0 | 1;

/** Which of two versions each field takes. */
export type Choice = Readonly<Record<FieldName, Side>>;

export function useFieldNames(): Record<FieldName, string> {
  const { accountingTerms } = usePrefs();
  return {
    date: 'Date', description: 'Description', amount: 'Amount',
    from: accountingTerms ? 'Credit' : 'From', to: accountingTerms ? 'Debit' : 'To',
  };
}

/** A table of fields in which two versions differ, with a choice for each. */
export function FieldChoice({ caption, titles, versions, fields, choice, onChange }: {
  readonly caption: string;
  readonly titles: readonly [ReactNode, ReactNode];
  readonly versions: readonly [Fields, Fields];
  readonly fields: readonly FieldName[];
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}) {
  const id = useId();
  const names = useFieldNames();
  const { money, day, accountById } = useBook();
  const show = (version: Fields, field: FieldName): string => {
    const value = {
      date: day(version.date), description: version.description, amount: version.amount ? money(version.amount) : '',
      from: accountById.get(version.from)?.name ?? '', to: accountById.get(version.to)?.name ?? '',
    }[field];
    return value || 'none';
  };
  return (
    <table className="choice">
      <caption>{caption}</caption>
      <thead>
        <tr><th scope="col"><span className="hidden-visually">Field</span></th><th scope="col">{titles[0]}</th><th scope="col">{titles[1]}</th></tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field}>
            <th scope="row">{names[field]}</th>
            {([0, 1] as const).map((side) => (
              <td key={side}>
                <label className={choice[field] === side ? 'is-chosen' : ''}>
                  <input type="radio" name={`${id}-${field}`} checked={choice[field] === side} onChange={() => onChange({ ...choice, [field]: side })} />
                  <bdi>{show(versions[side], field)}</bdi>
                </label>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const chooseAll = (side: Side): Choice => ({ date: side, description: side, amount: side, from: side, to: side });

/** The fields of the chosen versions. */
export function chosenFields(versions: readonly [Fields, Fields], choice: Choice): Fields {
  return {
    date: versions[choice.date].date,
    description: versions[choice.description].description,
    amount: versions[choice.amount].amount,
    from: versions[choice.from].from,
    to: versions[choice.to].to,
  };
}
