import { sentence } from '~/api/problem';
import { formatSize } from '~/file/types';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { Notice, Section } from '~/ui/Section';
import { formatDistance, formatInstant } from '~/ui/times';
import { findingsOf, MAIL_KINDS, needsBackup } from './attention';
import { useInstallationStatus, type InstallationStatus } from './queries';

/** Version, last backup, and what needs attention. */
export function Status() {
  const { data: status, error, refetch } = useInstallationStatus();
  return (
    <Section title="State of the server" actions={<Button look="ghost" onPress={() => void refetch()}>Reload</Button>}>
      {error && <Notice tone="error">{sentence(error)}</Notice>}
      {!status && !error && <Loading />}
      {status && (
        <>
          <p>Daybook {status.version}. <Backup backup={status.lastBackup} /></p>
          <Attention status={status} />
        </>
      )}
    </Section>
  );
}

function Backup({ backup }: { readonly backup: InstallationStatus['lastBackup'] }) {
  if (!backup) return <strong>There is no backup yet. Run daybook backup create on the server.</strong>;
  const age = formatDistance(backup.finishedAt);
  return (
    <>
      {needsBackup(backup) ? <strong>The last backup was made {age}</strong> : <>The last backup was made {age}</>}
      {' '}at <bdi>{backup.place}</bdi> ({formatSize(backup.bytes)}).
    </>
  );
}

function Attention({ status }: { readonly status: InstallationStatus }) {
  const findings = findingsOf(status);
  if (findings.length === 0) return <p className="muted">Nothing else needs attention.</p>;
  const { unsentMails, pausedApps, auditsWithFindings } = status;
  return (
    <>
      <Notice tone="warning">{findings.join(' ')}</Notice>
      {unsentMails.length > 0 && (
        <Table name="Mails that were not sent" columns={['To', 'Mail', 'Written', 'Reason']}>
          {unsentMails.map((mail) => (
            <tr key={mail.id}>
              <td><bdi>{mail.recipient}</bdi></td>
              <td>{MAIL_KINDS[mail.kind]}{!mail.givenUpAt && <> <span className="badge">tried again</span></>}</td>
              <td className="muted">{formatInstant(mail.createdAt)}</td>
              <td><bdi>{mail.reason}</bdi></td>
            </tr>
          ))}
        </Table>
      )}
      {pausedApps.length > 0 && (
        <Table name="Apps that are paused" columns={['App', 'Book', 'Since', 'Cause']}>
          {pausedApps.map((app) => (
            <tr key={`${app.agentId} ${app.bookId}`}>
              <td><bdi>{app.agentId}</bdi></td>
              <td><code>{app.bookId}</code></td>
              <td className="muted">{formatInstant(app.pausedAt)}</td>
              <td>{app.cause === 'operator' ? 'The operator paused it' : 'Its deliveries failed for days'}</td>
            </tr>
          ))}
        </Table>
      )}
      {auditsWithFindings.length > 0 && (
        <Table name="Audits with findings" columns={['Book', 'Findings', 'Audited']}>
          {auditsWithFindings.map((audit) => (
            <tr key={audit.bookId}>
              <td><code>{audit.bookId}</code></td>
              <td>{audit.findings}</td>
              <td className="muted">{formatInstant(audit.auditedAt)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function Table({ name, columns, children }: { readonly name: string; readonly columns: readonly string[]; readonly children: React.ReactNode }) {
  return (
    <>
      <h3>{name}</h3>
      <table className="plain-table" aria-label={name}>
        <thead><tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </>
  );
}
