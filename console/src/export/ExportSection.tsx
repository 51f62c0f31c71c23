import { useBook } from '~/book/types';
import { ExportMenu } from './ExportMenu';

/** The whole book as a file, in the settings. */
export function ExportSection() {
  const { can } = useBook();
  if (!can('VIEWER')) return null;
  return (
    <section>
      <h2>Download the book</h2>
      <p className="muted page-lead">
        All accounts and transactions in a format that other programs read. ZIP has the attached files, too.
        To download a part, use the list or the register that shows it.
      </p>
      <p className="page-actions"><ExportMenu look="plain" /></p>
    </section>
  );
}
