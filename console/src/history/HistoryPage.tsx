import { useEffect, useMemo } from 'react';
import { isProblem, sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { formatCount } from '~/lib/money';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { ChainSection } from './ChainSection';
import { EventItem } from './EventItem';
import type { Event } from './eventText';
import { Filters } from './Filters';
import { dayOf } from './days';
import { eventListing } from './listing';
import { useEvents } from './queries';
import { useEventFilter } from './useEventFilter';
import './history.css';

/** Enough rows to fill a screen before the reader asks for more. */
const ENOUGH = 40;

/** The event log of a book, newest first, with the state of its chain. */
export default function HistoryPage() {
  const { id: bookId, numbers, accountById, groupById } = useBook();
  const { filter, by, isFiltered } = useEventFilter();
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage } = useEvents(bookId, filter);
  const all = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const events = useMemo(() => (by ? all.filter((event) => event.user.username === by) : all), [all, by]);
  const authors = useMemo(() => authorsOf(all), [all]);
  const isSparse = events.length < ENOUGH && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (isSparse) void fetchNextPage();
  }, [isSparse, fetchNextPage]);
  useHeaderInfo({ title: filter.resource ? 'History of one item' : 'History' });

  if (isProblem(error, 'forbidden')) return <EmptyState title="The history is not shown to you">You record in this book. Ask its owner for a permission to view.</EmptyState>;
  if (error && !data) return <EmptyState title="The history cannot be loaded">{sentence(error)}</EmptyState>;
  return (
    <div className="history">
      <ChainSection />
      <Filters authors={authors}>
        <ListMenu what="the history" list={() => eventListing(bookId, filter, by, { account: (id) => accountById.get(id)?.name, group: (id) => groupById.get(id)?.name })} />
      </Filters>
      {!data ? <Loading label="Loading the history" /> : <EventList events={events} />}
      {data && events.length === 0 && !hasNextPage && (
        <EmptyState title="No such events" actions={isFiltered && <Button onPress={() => navigate(withParams({ type: null, by: null, from: null, to: null, resource: null, errors: null }))}>Show all events</Button>}>
          {isFiltered ? 'Nothing in the log of this book matches these filters.' : 'Everything that happens in this book is recorded here.'}
        </EmptyState>
      )}
      {data && (events.length > 0 || hasNextPage) && (
        <p className="history-foot muted" role="status">
          {formatCount(events.length, numbers)} {events.length === 1 ? 'event' : 'events'}
          {by && ` by ${by}, of ${formatCount(all.length, numbers)} read`}
          {hasNextPage && <> <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>{isFetchingNextPage ? 'Loading' : 'Show older events'}</Button></>}
        </p>
      )}
    </div>
  );
}

function EventList({ events }: { readonly events: readonly Event[] }) {
  const { book } = useBook();
  const days = useMemo(() => {
    const groups: { day: string; events: Event[] }[] = [];
    for (const event of events) {
      const day = dayOf(event.createdAt, book.timeZone);
      const last = groups.at(-1);
      if (last?.day === day) last.events.push(event);
      else groups.push({ day, events: [event] });
    }
    return groups;
  }, [events, book.timeZone]);
  return days.map((group) => (
    <section key={group.day} aria-label={group.day}>
      <h2 className="history-day">{group.day}</h2>
      <ol className="history-list">{group.events.map((event) => <EventItem key={event.id} event={event} />)}</ol>
    </section>
  ));
}

function authorsOf(events: readonly Event[]): readonly { readonly username: string; readonly name: string }[] {
  const names = new Map<string, string>();
  for (const { user } of events) {
    if (user.username) names.set(user.username, user.name ?? user.username);
  }
  return [...names].map(([username, name]) => ({ username, name })).sort((a, b) => a.name.localeCompare(b.name));
}
