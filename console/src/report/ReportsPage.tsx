import { useBook } from '~/book/types';
import { budgetPath } from '~/budget/paths';
import { useHeaderInfo } from '~/frame/headerInfo';
import { Keys } from '~/ui/Keys';
import { Link } from '~/ui/Link';
import { Closings } from './Closings';
import { REPORT_NAMES, REPORTS, reportPath } from './names';
import { ReportTabs } from './ReportTabs';
import '~/ui/page.css';
import './Report.css';
import './Closings.css';

/** The list of reports. */
export default function ReportsPage() {
  const { id } = useBook();
  useHeaderInfo({ title: 'Reports' });
  return (
    <div className="report">
      <ReportTabs current={undefined} />
      <div className="report-index">
        <section aria-label="All reports">
          <ul className="report-cards">
            {REPORT_NAMES.map((name) => (
              <li key={name}>
                <Link to={reportPath(id, name)}>{REPORTS[name].title}</Link>
                {REPORTS[name].shortcut && <Keys of={REPORTS[name].shortcut} />}
                <p className="muted">{REPORTS[name].purpose}</p>
              </li>
            ))}
            <li>
              <Link to={budgetPath(id)}>Budget</Link>
              <Keys of="go-budget" />
              <p className="muted">What each month may cost, beside what it did.</p>
            </li>
          </ul>
        </section>
        <Closings />
      </div>
    </div>
  );
}
