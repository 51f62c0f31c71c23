import { useMemo } from 'react';
import type { Account } from '~/api/types';
import { monthLabel } from '~/book/course';
import { useBook } from '~/book/types';
import { usePeriod } from '~/frame/period';
import { joinQuery } from '~/lib/query';
import { TimeChart, type Series } from '~/ui/TimeChart';
import { readCourse, sliceOf } from './course';
import { useBalances } from './queries';

const HEIGHT = 120;

/** The balance of an account over the period, or what moved in it; the register below has the figures. */
export function BalanceChart({ account }: { readonly account: Account }) {
  const { today } = useBook();
  const { period, terms } = usePeriod();
  const slice = sliceOf(period);
  const { data } = useBalances(joinQuery(`account:${account.id}`, terms, slice));
  const found = data?.accountBalances?.[0];
  const isFound = found !== undefined && found.normalizedName === account.normalizedName;
  const course = useMemo(() => (isFound ? readCourse(found, today) : undefined), [isFound, found, today]);
  const label = account.permanent ? 'Balance' : 'Movement';
  const series = useMemo<Series[]>(
    () => [{ label, colour: '--accent', isBar: !account.permanent, values: course?.values ?? [] }],
    [label, account.permanent, course],
  );
  return (
    <figure id="balance-chart" className="summary-chart" style={{ minHeight: HEIGHT }}>
      {course && (
        <TimeChart
          label={`${label} by ${slice === 'by:d' ? 'day' : 'month'}; the register below has the figures`}
          days={course.days}
          series={series}
          height={HEIGHT}
          {...(slice === 'by:m' ? { dayLabel: monthLabel } : {})}
        />
      )}
    </figure>
  );
}
