/** Errors of the API (behaviour 10) as one type. Code decides by `reason`, never by the message. */

export type Reason =
  | 'badRequest' | 'parseError' | 'invalid' | 'checkedTransaction' | 'lockedDate' | 'insufficientFunds'
  | 'queryTooLarge' | 'queryNotUnderstood' | 'answerTooLarge'
  | 'required' | 'forbidden' | 'insufficientScope' | 'disabled' | 'notAdmitted' | 'tokenExpired'
  | 'notFound' | 'methodNotAllowed' | 'requestTimeout' | 'conflict' | 'previewChanged' | 'outcomeUnknown' | 'conditionNotMet'
  | 'requestTooLarge' | 'storageQuotaExceeded' | 'unsupportedMediaType' | 'idempotencyKeyReused'
  | 'rateLimitExceeded' | 'internalError' | 'backendError' | 'deadlineExceeded' | 'notOffered'
  /** No response arrived. */
  | 'network'
  /** A response that the API does not describe. */
  | 'unreadable';

export interface ItemProblem {
  readonly reason: Reason;
  readonly message: string;
}

export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    readonly reason: Reason,
    message: string,
    /** Of a refused batch: one for each refused item. */
    readonly errors: readonly ItemProblem[] = [],
    readonly retryAfterMs: number | undefined = undefined,
  ) {
    super(message);
  }

  /** The resource has changed since it was read: show both versions. */
  get isStale(): boolean {
    return this.reason === 'conditionNotMet';
  }

  /** The same request may succeed later. */
  get isTransient(): boolean {
    return this.reason === 'network' || ((this.status === 503 || this.status === 429) && this.reason !== 'notOffered');
  }

  /** The server may have executed the write. A repetition with its idempotency key tells. */
  get isUnanswered(): boolean {
    return this.isTransient || this.reason === 'outcomeUnknown' || (this.status >= 500 && this.reason !== 'notOffered');
  }
}

export function isProblem(error: unknown, reason?: Reason): error is Problem {
  return error instanceof Problem && (reason === undefined || error.reason === reason);
}

/** Reads the problem from a response that is not 2xx. */
export async function toProblem(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('Retry-After'));
  const retryAfterMs = retryAfter > 0 ? retryAfter * 1000 : undefined;
  try {
    const body = (await response.json()) as { error?: { message?: string; errors?: ItemProblem[] } };
    const errors = body.error?.errors ?? [];
    const reason = errors[0]?.reason ?? 'unreadable';
    return new Problem(response.status, reason, body.error?.message ?? response.statusText, errors, retryAfterMs);
  } catch {
    return new Problem(response.status, 'unreadable', `unexpected response with status ${response.status}`, [], retryAfterMs);
  }
}

const SENTENCES: Partial<Record<Reason, string>> = {
  network: 'The server cannot be reached.',
  conditionNotMet: 'This was changed by someone else in the meantime.',
  lockedDate: 'The date is locked.',
  checkedTransaction: 'The transaction is checked.',
  forbidden: 'You do not have permission to do this.',
  insufficientFunds: 'The account would fall below its minimum balance.',
  rateLimitExceeded: 'Too many requests. Try again in a moment.',
  deadlineExceeded: 'The server took too long. Narrow the period or the query.',
};

/** A sentence for people. Messages of the server follow where they say more. */
export function sentence(error: unknown): string {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  const known = SENTENCES[error.reason];
  if (!known) return error.message;
  return error.status === 400 ? `${known} ${error.message}` : known;
}
