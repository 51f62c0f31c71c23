/** A parser of Server-Sent Events (HTML Living Standard, section 9.2). */

export interface ServerEvent {
  /** The last `id` of the stream; events without data have only this. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Takes pieces of a stream as they arrive and returns the events that are complete. */
export class EventStreamParser {
  private rest = '';
  private id = '';
  private type = '';
  private data: string[] = [];
  private hasField = false;
  /** Reconnection time in milliseconds that the stream asked for. */
  retryMs: number | undefined;

  push(chunk: string): ServerEvent[] {
    const text = this.rest + chunk;
    const events: ServerEvent[] = [];
    let at = 0;
    for (;;) {
      const match = /\r\n|\n|\r/.exec(text.slice(at));
      // A carriage return at the end may be the first half of CRLF.
      if (!match || (match[0] === '\r' && at + match.index + 1 === text.length)) break;
      const line = text.slice(at, at + match.index).replace(/^\uFEFF/, '');
      at += match.index + match[0].length;
      const event = line === '' ? this.dispatch() : this.field(line);
      if (event) events.push(event);
    }
    this.rest = text.slice(at);
    return events;
  }

  private field(line: string): undefined {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.type = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    this.hasField = true;
  }

  /** Also returns blocks without data, because the first `id` of a stream has none (behaviour 8.23). */
  private dispatch(): ServerEvent | undefined {
    if (!this.hasField) return undefined;
    const event = { id: this.id, type: this.type || 'message', data: this.data.join('\n') };
    this.type = '';
    this.data = [];
    this.hasField = false;
    return event;
  }
}
