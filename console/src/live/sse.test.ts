import { describe, expect, test } from 'vitest';
import { EventStreamParser } from './sse';

const STREAM = 'retry: 1000\nid: 7\n\nid: 8\nevent: TRANSACTION_POSTED\ndata: {"a":1}\n\n: ping\n\nid: 9\ndata: one\ndata: two\n\n';
const EVENTS = [
  { id: '7', type: 'message', data: '' },
  { id: '8', type: 'TRANSACTION_POSTED', data: '{"a":1}' },
  { id: '9', type: 'message', data: 'one\ntwo' },
];

describe('the parser of Server-Sent Events', () => {
  test('reads ids, types and data, and skips comments', () => {
    const parser = new EventStreamParser();
    expect(parser.push(STREAM)).toEqual(EVENTS);
    expect(parser.retryMs).toBe(1000);
  });

  test.each(['\n', '\r\n', '\r'])('gives the same with line end %j, however the stream is cut', (end) => {
    const text = `${STREAM}`.replaceAll('\n', end);
    for (const size of [1, 2, 3, 7]) {
      const parser = new EventStreamParser();
      const events = [];
      for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
      events.push(...parser.push(': end\n'));
      expect(events).toEqual(EVENTS);
    }
  });

  test('keeps an unfinished event until its empty line arrives', () => {
    const parser = new EventStreamParser();
    expect(parser.push('data: half')).toEqual([]);
    expect(parser.push('\n\n')).toEqual([{ id: '', type: 'message', data: 'half' }]);
  });

  test('ignores unknown fields, bad retry times and a byte order mark', () => {
    const parser = new EventStreamParser();
    expect(parser.push('\uFEFFdata:x\nfoo: bar\nretry: soon\n\n')).toEqual([{ id: '', type: 'message', data: 'x' }]);
    expect(parser.retryMs).toBeUndefined();
  });
});
