import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { ConfirmButton } from '~/ui/Confirm';
import { Section, SectionPage } from '~/ui/Section';
import { formatInstant } from '~/ui/times';
import { useDeleteConnection, useWithdrawConsent } from './actions';
import { AccessProblem } from './AccessProblem';
import { ApiKeys } from './ApiKeys';
import { CONNECTION_COLUMNS, CONSENT_COLUMNS } from './listing';
import { ProfileTabs } from './ProfileTabs';
import { useConnections, useConsents, type Connection, type Consent } from './queries';
import { Tokens } from './Tokens';

/** What acts in the name of the caller: tokens, keys, clients and connections. */
export default function AccessPage() {
  useHeaderInfo({ title: 'Tokens and apps' });
  return (
    <SectionPage>
      <ProfileTabs />
      <Tokens />
      <ApiKeys />
      <Consents />
      <Connections />
    </SectionPage>
  );
}

function Consents() {
  const { data: consents, error } = useConsents();
  return (
    <Section title="Programs with access" actions={consents && consents.length > 0 && <ListMenu what="the programs" list={() => listOf(CONSENT_COLUMNS, consents)} />} lead="Programs that you have signed in to with Daybook. They read and change your books until you withdraw the consent.">
      {error && <AccessProblem error={error} what="consents" />}
      {consents?.length === 0 && <p className="muted">No program has access.</p>}
      {consents && consents.length > 0 && (
        <table className="plain-table" aria-label="Programs with access">
          <thead><tr><th scope="col">Program</th><th scope="col">Scopes</th><th scope="col">Since</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr></thead>
          <tbody>{consents.map((consent) => <ConsentRow key={consent.id} consent={consent} />)}</tbody>
        </table>
      )}
    </Section>
  );
}

function ConsentRow({ consent }: { readonly consent: Consent }) {
  const withdraw = useWithdrawConsent();
  return (
    <tr>
      <td><bdi>{consent.name}</bdi></td>
      <td className="muted">{consent.scopes?.join(', ')}</td>
      <td className="muted">{formatInstant(consent.createdAt)}</td>
      <td className="cell-actions">
        <ConfirmButton label="Withdraw" name={`Withdraw the consent to ${consent.name}`} question={`Withdraw the consent to ${consent.name}?`} confirm="Withdraw" look="danger" isDisabled={withdraw.isPending} onConfirm={() => void withdraw.run(consent)}>
          The program loses access within seconds. It can ask you again.
        </ConfirmButton>
      </td>
    </tr>
  );
}

function Connections() {
  const { data: connections, error } = useConnections();
  return (
    <Section title="Connections" actions={connections && connections.length > 0 && <ListMenu what="the connections" list={() => listOf(CONNECTION_COLUMNS, connections)} />} lead="Your accounts at other services, such as a bank, which apps use. Only you see them.">
      {error && <AccessProblem error={error} what="connections" />}
      {connections?.length === 0 && <p className="muted">No connections. An app makes one when it needs it.</p>}
      {connections && connections.length > 0 && (
        <table className="plain-table" aria-label="Connections">
          <thead><tr><th scope="col">Name</th><th scope="col">App</th><th scope="col">Since</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr></thead>
          <tbody>{connections.map((connection) => <ConnectionRow key={connection.id} connection={connection} />)}</tbody>
        </table>
      )}
    </Section>
  );
}

function ConnectionRow({ connection }: { readonly connection: Connection }) {
  const remove = useDeleteConnection();
  return (
    <tr>
      <td><bdi>{connection.name}</bdi>{connection.type === 'BANK' && <> <span className="badge">bank</span></>}</td>
      <td className="muted"><bdi>{connection.agentId}</bdi></td>
      <td className="muted">{formatInstant(connection.createdAt)}</td>
      <td className="cell-actions">
        <ConfirmButton label="Delete" name={`Delete the connection ${connection.name}`} question={`Delete ${connection.name}?`} confirm="Delete" look="danger" isDisabled={remove.isPending} onConfirm={() => void remove.run(connection)}>
          The app is also removed from the books where it uses this connection. This cannot be undone.
        </ConfirmButton>
      </td>
    </tr>
  );
}
