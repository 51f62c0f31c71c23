import { useBook } from '~/book/types';
import { fiscalYearOf, parsePeriod, periodLabel, periodOf, stepPeriod, type Period } from '~/lib/dates';
import { useBalances } from '~/account/queries';
import { dateTerms, hasDateTerms, joinQuery, withoutDateTerms } from '~/lib/query';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { Menu, type MenuEntry } from '~/ui/Menu';
import { useShortcut } from '~/ui/shortcuts';
import { usePeriod } from './period';

/** Previous, the period itself with a menu of usual ones, next. */
export function PeriodControl() {
  const { today, fiscalStart } = useBook();
  const { period, setPeriod } = usePeriod();
  const month = periodOf('month', today);
  // Dates in the query box are stepped by the ranges that the API computes (behaviour 5.9).
  const [query, setQuery] = useQueryState('q');
  const isInQuery = !period && hasDateTerms(query);
  const { data: range } = useBalances(dateTerms(query), isInQuery);
  const step = (direction: 1 | -1) => {
    if (!isInQuery) return setPeriod(stepPeriod(period ?? month, direction));
    const next = direction === 1 ? range?.nextRange : range?.previousRange;
    if (next) setQuery(joinQuery(withoutDateTerms(query), next));
  };
  const queryLabel = range?.rangeEndLabel ? [range.rangeBeginLabel || 'start', range.rangeEndLabel].join(' – ') : 'In the query';
  useShortcut('period-previous', () => step(-1));
  useShortcut('period-next', () => step(1));
  useShortcut('period-all', () => setPeriod(undefined));
  useShortcut('period-today', () => setPeriod(month));
  const entry = (id: string, name: string, value: Period | undefined): MenuEntry => ({
    id, label: name, detail: value ? periodLabel(value) : '', checked: value?.text === period?.text, run: () => setPeriod(value),
  });
  const year = periodOf('year', today);
  const quarter = periodOf('quarter', today);
  const fiscal = fiscalYearOf(today, fiscalStart);
  const entries = [
    entry('all', 'Whole book', undefined),
    entry('month', 'This month', month),
    entry('last-month', 'Last month', stepPeriod(month, -1)),
    entry('quarter', 'This quarter', quarter),
    entry('last-quarter', 'Last quarter', stepPeriod(quarter, -1)),
    entry('year', 'This year', year),
    entry('last-year', 'Last year', stepPeriod(year, -1)),
    ...(fiscalStart === 1 ? [] : [entry('fiscal', 'Fiscal year', fiscal), entry('last-fiscal', 'Last fiscal year', stepPeriod(fiscal, -1))]),
    entry('to-date', 'Year to date', parsePeriod(`${today.slice(0, 4)}-01-01..${today}`)),
  ];
  return (
    <div className="period" role="group" aria-label="Period">
      <Button look="ghost" icon="left" aria-label="Previous period" onPress={() => step(-1)} />
      <Menu
        label="Period"
        entries={entries}
        trigger={<Button look="ghost" className="period-label">{period ? periodLabel(period) : isInQuery ? queryLabel : 'Whole book'}</Button>}
      />
      <Button look="ghost" icon="right" aria-label="Next period" onPress={() => step(1)} />
    </div>
  );
}
