import { useBook } from '~/book/types';
import { Link } from '~/ui/Link';
import '~/ui/Tabs.css';
import { REPORT_NAMES, REPORTS, reportPath, type ReportName } from './names';

/** Links between the reports. The period stays. */
export function ReportTabs({ current }: { readonly current: ReportName | undefined }) {
  const { id } = useBook();
  const search = new URLSearchParams(window.location.search);
  const kept = (name: ReportName) => {
    const period = search.get('period');
    const query = REPORTS[name].hasQuery ? search.get('q') : null;
    return { ...(period && name !== 'changes' ? { period } : {}), ...(query ? { q: query } : {}) };
  };
  return (
    <nav className="tabs" aria-label="Reports">
      <Link to={`/b/${encodeURIComponent(id)}/reports`} aria-current={current ? undefined : 'page'}>Overview</Link>
      {REPORT_NAMES.map((name) => (
        <Link key={name} to={reportPath(id, name, kept(name))} aria-current={name === current ? 'page' : undefined}>{REPORTS[name].title}</Link>
      ))}
    </nav>
  );
}
