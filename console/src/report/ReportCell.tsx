import { useBook } from '~/book/types';
import { formatMoney, isNegative, isZero, MINUS, parseDecimal, type NumberStyle } from '~/lib/money';
import { RowToggle } from '~/ui/RowToggle';
import { Link } from '~/ui/Link';
import { formatInstant } from '~/lib/instant';
import type { ReportColumn, VisibleRow } from './rows';

/** One cell: a name with its disclosure, an amount with a link to its transactions, a day, an instant. */
export function ReportCell({ row, column, text, isFirst, path, onToggle }: {
  readonly row: VisibleRow;
  readonly column: ReportColumn;
  readonly text: string;
  /** Whether it names the row. */
  readonly isFirst: boolean;
  readonly path: string | undefined;
  readonly onToggle: (groupKey: string) => void;
}) {
  const { numbers, day, pattern, book } = useBook();
  const className = `report-cell report-is-${column.kind} ${isFirst ? 'report-name' : ''}`;
  if (column.kind === 'amount' && text) return <AmountCell {...{ className, text, path, numbers }} label={`${row.cells[0] ?? ''}, ${column.over ?? ''} ${column.label}`} />;
  if (isFirst && row.isOpen !== undefined) {
    return (
      <span role="gridcell" className={className} title={text}>
        <RowToggle isOpen={row.isOpen} onToggle={() => onToggle(row.groupKey!)} />
        <bdi className="truncate">{text}</bdi>
      </span>
    );
  }
  const shown = column.kind === 'date' ? day(text) : column.kind === 'instant' ? formatInstant(text, pattern, book.timeZone) : column.kind === 'percent' ? percent(text, numbers) : text;
  return <span role="gridcell" className={className} title={isFirst || column.kind === 'text' ? shown : undefined}><bdi className="truncate">{shown}</bdi></span>;
}

function AmountCell({ className, text, path, numbers, label }: {
  readonly className: string;
  readonly text: string;
  readonly path: string | undefined;
  readonly numbers: NumberStyle;
  readonly label: string;
}) {
  const value = parseDecimal(text);
  const shown = isZero(value) ? '–' : formatMoney(value, numbers);
  const tone = isZero(value) ? 'muted' : isNegative(value) ? 'negative' : '';
  return (
    <span role="gridcell" className={`${className} ${tone}`}>
      {path && !isZero(value)
        ? <Link to={path} className="report-figure" tabIndex={-1} aria-label={`${shown}, ${label.trim()}: show the transactions`}>{shown}</Link>
        : shown}
    </span>
  );
}

function percent(text: string, numbers: NumberStyle): string {
  if (!text) return '';
  const shown = text.replace('-', MINUS);
  return `${numbers.decimalSeparator === 'COMMA' ? shown.replace('.', ',') : shown}%`;
}
