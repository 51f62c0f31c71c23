/** Attempts of the delivery log, grouped by event (behaviour 12.13). */
import type { components } from '~/api/schema';

export type Attempt = components['schemas']['DeliveryAttempt'];

/** All loaded attempts to deliver one event to one app. */
export interface Delivery {
  readonly eventId: string;
  /** Number of the event in its book, from its id (8.17). */
  readonly sequence: number;
  /** The newest first. */
  readonly attempts: readonly Attempt[];
  readonly hasFailed: boolean;
}

/** Groups attempts, failed deliveries first and then the newest. A delivery has failed if its last attempt has. */
export function groupDeliveries(attempts: readonly Attempt[]): readonly Delivery[] {
  const byEvent = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const known = byEvent.get(attempt.eventId);
    if (known) known.push(attempt);
    else byEvent.set(attempt.eventId, [attempt]);
  }
  const deliveries = [...byEvent].map(([eventId, found]) => {
    const sorted = [...found].sort((a, b) => Number(b.at) - Number(a.at) || Number(b.attempt) - Number(a.attempt));
    return { eventId, sequence: sequenceOf(eventId), attempts: sorted, hasFailed: Boolean(sorted[0]?.error) };
  });
  return deliveries.sort((a, b) => Number(b.hasFailed) - Number(a.hasFailed) || Number(b.attempts[0]!.at) - Number(a.attempts[0]!.at));
}

/** The number in the id of an event: its first 12 hex digits. */
export function sequenceOf(eventId: string): number {
  const digits = eventId.slice(0, 12);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : 0;
}

/** `200 in 35 ms`, `after 60,000 ms`; an error says why there is no status. */
export function outcomeOf(attempt: Attempt): string {
  const time = `${Number(attempt.durationMs ?? 0).toLocaleString('en')} ms`;
  return attempt.status === undefined ? `after ${time}` : `${attempt.status} in ${time}`;
}
