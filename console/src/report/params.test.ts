import { describe, expect, it } from 'vitest';
import { parsePeriod } from '~/lib/dates';
import { comparison, readHashtags, reportQuery, yearBefore, type ReportState } from './params';

const period = (text: string) => parsePeriod(text)!;
const state = (changes: Partial<ReportState>): ReportState => ({
  name: 'balance-sheet', period: period('2026-03'), compare: '', columns: '', depth: '', zeros: false, query: '', after: '', ...changes,
});

describe('parameters of a report', () => {
  it.each([
    ['2026', '2025'], ['FY2026', 'FY2025'], ['2026-Q2', '2025-Q2'], ['2024-02', '2023-02'], ['2023-02', '2022-02'], ['2026-03-15', '2025-03-15'],
    ['2024-02-29', '2023-02-28'], ['2026-01-15..2026-02-10', '2025-01-15..2025-02-10'], ['2025-01-01..2025-02-28', '2024-01-01..2024-02-29'],
    ['2025-11-10..2026-02-28', '2024-11-10..2025-02-28'],
  ])('the year before %s is %s', (text, before) => {
    expect(yearBefore(period(text)).text).toBe(before);
  });

  it('comparisons follow the period', () => {
    expect(comparison('previous', period('2026-01'))).toBe('2025-12');
    expect(comparison('year', period('2026-01'))).toBe('2025-01');
    expect(comparison('2024', period('2026-01'))).toBe('2024');
    expect(comparison('previous', undefined)).toBe('');
  });

  it('parameters that the report does not have are left out', () => {
    expect(reportQuery(state({ compare: 'previous', depth: '2', zeros: true, after: '7' }))).toEqual({ period: '2026-03', compare: '2026-02', depth: '2', zeros: 'true' });
    expect(reportQuery(state({ name: 'journal', compare: 'previous', columns: 'month', zeros: true, query: '#a' }))).toEqual({ period: '2026-03', query: '#a' });
    expect(reportQuery(state({ name: 'changes', period: undefined, query: '#a', after: '7' }))).toEqual({ after: '7' });
  });

  it('columns and comparison exclude each other', () => {
    expect(reportQuery(state({ compare: 'previous', columns: 'month' }))).toEqual({ period: '2026-03', columns: 'month' });
  });

  it('hashtags are read in any form', () => {
    expect(readHashtags(' food, #travel ##food ')).toBe('#food,#travel');
    expect(readHashtags('')).toBe('');
  });
});
