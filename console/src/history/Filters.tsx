import type { ReactNode } from 'react';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { CheckField } from '~/ui/fields/ChoiceField';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { DateField } from '~/ui/fields/DateField';
import { typeLabel } from './eventText';
import { EVENT_TYPES } from './eventTypes';
import { useEventFilter } from './useEventFilter';

const set = (changes: Record<string, string | null>) => navigate(withParams(changes));
const TYPES = [{ value: '', label: 'Everything' }, ...EVENT_TYPES.map((value) => ({ value: value as string, label: typeLabel(value) }))];

/** Filters by type, author and time. They are in the URL. */
export function Filters({ authors, children }: {
  readonly authors: readonly { readonly username: string; readonly name: string }[];
  readonly children: ReactNode;
}) {
  const { filter, by, isFiltered } = useEventFilter();
  const people = authors.some(({ username }) => username === by) || !by ? authors : [...authors, { username: by, name: by }];
  return (
    <div className="form-line history-filters" role="search" aria-label="Filters of the history">
      <ChoiceField label="What" value={filter.type as string} choices={TYPES} isDisabled={filter.errors || filter.resource !== ''} onChange={(type) => set({ type })} />
      <ChoiceField label="By" value={by} choices={[{ value: '', label: 'Everybody' }, ...people.map(({ username, name }) => ({ value: username, label: name }))]} onChange={(value) => set({ by: value })} />
      <DateField label="From" value={filter.from} onChange={(from) => set({ from })} />
      <DateField label="Until" value={filter.to} onChange={(to) => set({ to })} />
      <CheckField label="Failed apps only" value={filter.errors} isDisabled={filter.resource !== ''} onChange={(checked) => set({ errors: checked ? '1' : null })} />
      {filter.resource && <span className="badge">one item only</span>}
      {isFiltered && <Button look="ghost" onPress={() => set({ type: null, by: null, from: null, to: null, resource: null, errors: null })}>Clear the filters</Button>}
      <span className="history-download">{children}</span>
    </div>
  );
}
