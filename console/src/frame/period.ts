import { useMemo } from 'react';
import { useOptionalBook } from '~/book/types';
import { parsePeriod, periodTerms, type Period } from '~/lib/dates';
import { joinQuery } from '~/lib/query';
import { useQueryState } from '~/lib/router';

export interface PeriodState {
  /** Undefined is the whole book. */
  readonly period: Period | undefined;
  readonly setPeriod: (period: Period | undefined) => void;
  /** The period as terms of the query language; '' for the whole book. */
  readonly terms: string;
}

/** The period in the URL: `?period=2026-Q1`, in the notation of reports (behaviour 13.2). */
export function usePeriod(): PeriodState {
  const [text, setText] = useQueryState('period');
  const fiscalStart = useOptionalBook()?.fiscalStart ?? 1;
  return useMemo(() => {
    const period = parsePeriod(text, fiscalStart);
    return { period, setPeriod: (next) => setText(next?.text ?? null), terms: periodTerms(period) };
  }, [text, fiscalStart, setText]);
}

/** The query of the header: period and query box together, as the API reads them. */
export function useHeaderQuery(): { readonly text: string; readonly terms: string; readonly query: string } {
  const [text] = useQueryState('q');
  const { terms } = usePeriod();
  return { text, terms, query: joinQuery(terms, text) };
}
