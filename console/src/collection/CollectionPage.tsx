import { sentence } from '~/api/problem';
import { bookHomePath } from '~/book/paths';
import { numberStyle, useBooks } from '~/book/queries';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { parsePeriod, periodLabel, periodOf, today } from '~/lib/dates';
import { useQueryState } from '~/lib/router';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import '~/ui/page.css';
import { SIDE_COLUMNS } from './listing';
import { useCollection, useFigures, type CollectionBook } from './queries';
import { columnOrder, currencyTotals, type CurrencyTotal, type Figures } from './side';
import './CollectionPage.css';

const ROWS: readonly (readonly [keyof Figures, string, boolean])[] = [
  ['assets', 'Assets', false],
  ['liabilities', 'Liabilities', false],
  ['netWorth', 'Net worth', true],
  ['income', 'Income', false],
  ['expenses', 'Expenses', false],
  ['result', 'Result', true],
];

/** The books of a collection side by side. Only books of the same currency are added up. */
export default function CollectionPage({ collectionId = '' }: { collectionId?: string }) {
  const { data: collection, error } = useCollection(collectionId);
  // The list of books has the current names, and readers of a shared collection see the books they work in.
  const { data: known = [] } = useBooks();
  const [text, setPeriod] = useQueryState('period');
  const period = parsePeriod(text) ?? periodOf('year', today());
  const books = (collection?.books ?? []).map((book) => known.find(({ id }) => id === book.id) ?? book);
  const columns = columnOrder(useFigures(books, period.text));
  useHeaderInfo({ title: collection?.name ?? 'Collection' });
  if (error) return <EmptyState title="The collection cannot be loaded" actions={<Link to="/collections">All collections</Link>}>{sentence(error)}</EmptyState>;
  if (!collection) return <Loading label="Loading the collection" />;
  if (columns.length === 0) {
    return (
      <EmptyState title="No books in this collection" actions={<Link to="/books">All books</Link>}>
        Move books into it from the list of all books: open the menu of a book and choose <em>Move to {collection.name}</em>.
      </EmptyState>
    );
  }
  const totals = currencyTotals(columns);
  return (
    <div className="page page-wide">
      <section className="collection-head">
        <ChoiceField label="Period" value={period.text} onChange={setPeriod} choices={periodChoices(period.text)} />
        <ListMenu
          what={`the figures of ${collection.name} ${period.text}`}
          list={() => listOf(SIDE_COLUMNS, [...columns, ...totals.map(({ currency, books: count, figures }) => ({ id: '', name: `${count} books`, currency, figures }))])}
          numbers={numberStyle(columns[0]!.book)}
          isLoading={columns.some(({ book, figures, error: failed }) => !figures && !failed && book.permission !== 'RECORDER')}
        />
      </section>
      <section>
        <div className="table-scroll" role="region" aria-label="Books side by side" tabIndex={0}>
          <table className="table collection-table">
            <caption className="hidden-visually">Figures of each book in {periodLabel(period)}, each in its own currency</caption>
            <Head columns={columns} totals={totals} />
            <tbody>
              {ROWS.map(([key, label, isSum]) => (
                <tr key={key} className={isSum ? 'is-sum' : ''}>
                  <th scope="row">{label}</th>
                  {columns.map((column) => (
                    <td key={column.id} className="number">
                      {column.figures ? <Money value={column.figures[key]} style={numberStyle(column.book)} /> : column.error ? <span className="muted" title={sentence(column.error)}>not readable</span> : '\u2007'}
                    </td>
                  ))}
                  {totals.map((total) => <td key={total.currency} className="number collection-total"><Money value={total.figures[key]} style={styleOf(total, columns)} /></td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className="muted collection-note">Assets, liabilities and net worth at the end of the period; income and expenses within it. Different currencies are not added up.</p>
      </section>
    </div>
  );
}

function Head({ columns, totals }: { readonly columns: readonly CollectionBook[]; readonly totals: readonly CurrencyTotal[] }) {
  return (
    <thead>
      <tr>
        <th scope="col"><span className="hidden-visually">Figure</span></th>
        {columns.map(({ id, name, currency }) => (
          <th key={id} scope="col" className="number">
            <Link to={bookHomePath(id)}><bdi>{name}</bdi></Link>
            <span className="collection-currency">{currency || 'no currency'}</span>
          </th>
        ))}
        {totals.map(({ currency, books }) => (
          <th key={currency} scope="col" className="number collection-total">
            {books} books
            <span className="collection-currency">{currency} together</span>
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The format of a sum: that of the first book of its currency. */
function styleOf({ currency }: CurrencyTotal, columns: readonly CollectionBook[]) {
  const first = columns.find((column) => column.currency.trim().toUpperCase() === currency)!;
  return numberStyle(first.book);
}

/** This year, the two before and the last twelve months, and the chosen one. */
function periodChoices(chosen: string) {
  const now = today();
  const year = Number(now.slice(0, 4));
  const months = Array.from({ length: 12 }, (_, index) => {
    const month = year * 12 + Number(now.slice(5, 7)) - 1 - index;
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
  });
  const texts = [...new Set([String(year), String(year - 1), String(year - 2), ...months, chosen])];
  return texts.map((text) => ({ value: text, label: periodLabel(parsePeriod(text)!) }));
}
