import { useBook } from '~/book/types';
import { formatMoney, parseDecimal, type NumberStyle } from '~/lib/money';
import { Icon } from '~/ui/Icon';
import { formatInstant } from '~/lib/instant';
import type { Report } from './rows';
import './ReportFoot.css';

type Control = Report['controls'][number];

/** What proves the report: its controls, and in the details the event that it includes last. */
export function ReportFoot({ report }: { readonly report: Report }) {
  const { numbers, pattern, book } = useBook();
  const failed = report.controls.filter((control) => !control.holds);
  const single = report.controls.length === 1 ? report.controls[0] : undefined;
  return (
    <div className="report-foot" role="group" aria-label="Proof">
      {failed.map((control) => <ControlLine key={control.label} control={control} numbers={numbers} />)}
      {failed.length === 0 && single && <ControlLine control={single} numbers={numbers} />}
      {failed.length === 0 && !single && (
        <p className="report-control is-held"><Icon name="check" size={13} /> All {report.controls.length} checks agree</p>
      )}
      <details className="report-details">
        <summary>Details</summary>
        {!single && failed.length === 0 && report.controls.map((control) => <ControlLine key={control.label} control={control} numbers={numbers} />)}
        <p className="muted">
          As of event {report.lastEvent.sequence}, {formatInstant(report.computedAt, pattern, book.timeZone)}. Hash{' '}
          <code className="report-hash">{report.lastEvent.hash}</code>
        </p>
      </details>
    </div>
  );
}

function ControlLine({ control, numbers }: { readonly control: Control; readonly numbers: NumberStyle }) {
  const show = (text: string) => (/^-?\d+\.\d+$/.test(text) ? formatMoney(parseDecimal(text), numbers) : text);
  return (
    <p className={`report-control ${control.holds ? 'is-held' : 'is-failed'}`}>
      <Icon name={control.holds ? 'check' : 'warning'} size={13} />
      <span>{shortLabel(control.label)}</span>
      <span className="report-control-figures">{show(control.left)} {control.holds ? '=' : '≠'} {show(control.right)}</span>
    </p>
  );
}

/** The label without event and hash, which the details have. */
function shortLabel(label: string): string {
  return label.replace(/\(last event \d+, hash [0-9a-f]*(; )?/, '(').replace(/ \(\)$/, '');
}
