import type { Transaction } from '~/api/types';
import { withParams } from '~/lib/router';
import { Icon, type IconName } from '~/ui/Icon';
import { Link } from '~/ui/Link';

/** The comment count is newer than the generated types. */
type WithComments = Transaction & { readonly commentCount?: number };

function Mark({ icon, label, tone = '', children }: { readonly icon: IconName; readonly label: string; readonly tone?: string; readonly children?: number }) {
  return <span className={`tx-mark ${tone}`} role="img" aria-label={label} title={label}><Icon name={icon} size={13} />{children}</span>;
}

/** Small marks before the description: files, comments, failed answers of apps, reversals. */
export function Marks({ row, hasError, reversal }: {
  readonly row: WithComments;
  readonly hasError: boolean;
  /** The transaction that reverses this one. */
  readonly reversal: string | undefined;
}) {
  const files = row.files?.length ?? 0;
  const comments = row.commentCount ?? 0;
  const reverses = row.properties?.['reverses'];
  const link = (id: string, label: string) => (
    <Link to={withParams({ panel: `transaction:${id}` })} className="tx-mark tx-reversal" tabIndex={-1} aria-label={label} title={label}><Icon name="history" size={13} /></Link>
  );
  return (
    <>
      {hasError && <Mark icon="warning" tone="tx-failed" label="An app answered with an error" />}
      {files > 0 && <Mark icon="file" label={files === 1 ? 'Has a file' : `Has ${files} files`} />}
      {comments > 0 && <Mark icon="comment" label={comments === 1 ? '1 comment' : `${comments} comments`} />}
      {reverses && link(reverses, 'Reverses another transaction')}
      {reversal && link(reversal, 'Reversed by another transaction')}
    </>
  );
}
