import { useMemo } from 'react';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { groupChoices } from './batch';

/** The groups of an account: each can be removed, others can be added. */
export function GroupsField({ value, onChange, isDisabled = false }: {
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly isDisabled?: boolean;
}) {
  const { groups, groupById } = useBook();
  const choices = useMemo(
    () => groupChoices(groups).filter(({ id }) => !value.includes(id)).map(({ id, label }) => ({ value: id, label })),
    [groups, value],
  );
  return (
    <div className="groups-field">
      <ChoiceField
        label="Groups"
        value=""
        onChange={(id) => id && onChange([...value, id])}
        choices={[{ value: '', label: value.length > 0 ? 'Add another group' : 'In no group' }, ...choices]}
        isDisabled={isDisabled}
      />
      {value.length > 0 && (
        <ul className="groups-chosen">
          {value.map((id) => (
            <li key={id}>
              <bdi>{groupById.get(id)?.name ?? id}</bdi>
              {!isDisabled && <Button look="ghost" icon="close" aria-label={`Take out of ${groupById.get(id)?.name}`} onPress={() => onChange(value.filter((other) => other !== id))} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
