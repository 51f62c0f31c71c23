import { describe, expect, it } from 'vitest';
import { readClosings, suggestedDay, type StoredFile } from './closing';

const file = (name: string, date?: string, event?: string): StoredFile => ({
  name, ...(date ? { properties: { closing_date: date, ...(event ? { closing_event: event } : {}) } } : {}),
});

describe('closings', () => {
  it('are read from the properties of files, newest first', () => {
    const closings = readClosings([
      file('receipt.pdf'), file('B', '2026-09-30', '90'), file('A', '2026-09-30', '90'), file('C', '2026-06-30', '40'), file('D', '2026-09-30', '101'),
    ]);
    expect(closings.map(({ date, event, files }) => [date, event, files.map(({ name }) => name)])).toEqual([
      ['2026-09-30', '101', ['D']], ['2026-09-30', '90', ['A', 'B']], ['2026-06-30', '40', ['C']],
    ]);
  });

  it('the end of the last month is suggested until it is closed', () => {
    expect(suggestedDay('2026-03-15', '')).toBe('2026-02-28');
    expect(suggestedDay('2026-01-01', '2025-11-30')).toBe('2025-12-31');
    expect(suggestedDay('2026-03-15', '2026-02-28')).toBe('');
  });
});
