import { signOutUrl } from '~/api/session';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { Loading } from '~/ui/EmptyState';
import { Section, SectionPage } from '~/ui/Section';
import { formatDistance, formatInstant } from '~/ui/times';
import { AccessProblem } from './AccessProblem';
import { useEndSession } from './actions';
import { AddDevice } from './AddDevice';
import { SESSION_COLUMNS } from './listing';
import { ProfileTabs } from './ProfileTabs';
import { useSessions, type Session } from './queries';

/** Where the caller is signed in, and ways to sign in elsewhere. */
export default function DevicesPage() {
  useHeaderInfo({ title: 'Devices and sessions' });
  return (
    <SectionPage>
      <ProfileTabs />
      <Sessions />
      <AddDevice />
    </SectionPage>
  );
}

function Sessions() {
  const { data: sessions, error } = useSessions();
  return (
    <Section title="Sessions" actions={sessions && <ListMenu what="the sessions" list={() => listOf(SESSION_COLUMNS, sessions)} />} lead="The browsers in which you are signed in. A session ends after 30 days without use.">
      {error && <AccessProblem error={error} what="sessions" />}
      {!sessions && !error && <Loading />}
      {sessions && (
        <table className="plain-table" aria-label="Sessions">
          <thead><tr><th scope="col">Signed in</th><th scope="col">Last used</th><th scope="col">Ends</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr></thead>
          <tbody>{sessions.map((session) => <SessionRow key={session.id} session={session} />)}</tbody>
        </table>
      )}
      <div className="actions"><Button onPress={() => window.location.assign(signOutUrl())}>Sign out here</Button></div>
    </Section>
  );
}

const METHODS = { link: 'by a link', provider: 'through a provider' } as const;

function SessionRow({ session }: { readonly session: Session }) {
  const end = useEndSession();
  return (
    <tr>
      <td>
        {formatInstant(session.signedInAt)} {session.method && METHODS[session.method]}
        {session.current && <> <span className="badge">this browser</span></>}
      </td>
      <td className="muted">{session.current ? 'now' : formatDistance(session.lastUsedAt)}</td>
      <td className="muted">{formatDistance(session.expiresAt)}</td>
      <td className="cell-actions">
        {!session.current && (
          <ConfirmButton
            label="End" name={`End the session of ${formatInstant(session.signedInAt)}`} question="End this session?" confirm="End the session"
            look="danger" isDisabled={end.isPending} onConfirm={() => void end.run(session)}
          >
            That browser is signed out within seconds. What was typed there and not saved stays on its screen.
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}
