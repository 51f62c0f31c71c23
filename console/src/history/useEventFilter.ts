import { isDay } from '~/lib/dates';
import { useQueryState } from '~/lib/router';
import { EVENT_TYPES } from './eventTypes';
import type { EventType } from './eventText';
import type { EventFilter } from './queries';

const known = new Set<string>(EVENT_TYPES);

/** The filters of the URL; values that make no sense are ignored. */
export function useEventFilter(): { readonly filter: EventFilter; readonly by: string; readonly isFiltered: boolean } {
  const [type] = useQueryState('type');
  const [by] = useQueryState('by');
  const [from] = useQueryState('from');
  const [to] = useQueryState('to');
  const [resource] = useQueryState('resource');
  const [errors] = useQueryState('errors');
  const filter: EventFilter = {
    type: known.has(type) ? (type as EventType) : '',
    from: isDay(from) ? from : '',
    to: isDay(to) ? to : '',
    resource,
    errors: errors === '1',
  };
  return { filter, by, isFiltered: Boolean(filter.type || by || filter.from || filter.to || resource || filter.errors) };
}
