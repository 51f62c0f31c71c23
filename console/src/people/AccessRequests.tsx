import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { href } from '~/lib/router';
import { Button } from '~/ui/Button';
import { copyText } from '~/ui/clipboard';
import { ConfirmButton } from '~/ui/Confirm';
import { Notice, Section } from '~/ui/Section';
import { formatDistance } from '~/ui/times';
import { showToast } from '~/ui/toasts';
import { useDecline, useShare, useTransfer } from './actions';
import { PERMISSION_NAMES, type GrantedPermission, type SharedPermission } from './permissions';
import { useAccessRequests, useCollaborators, type AccessRequest } from './queries';

/** Open requests of others, to accept or decline. */
export function AccessRequests() {
  const { id: bookId } = useBook();
  const { data: requests = [], error } = useAccessRequests(bookId, true);
  const copy = () => {
    const url = new URL(href(`/request-access/${encodeURIComponent(bookId)}`), window.location.href).href;
    void copyText(url).then((copied) => showToast(copied ? 'Link copied' : url));
  };
  return (
    <Section
      title="Access requests"
      lead={requests.length ? undefined : 'No open requests. Send somebody this link, and they can ask for access themselves.'}
      actions={<Button onPress={copy}>Copy the link for requests</Button>}
    >
      {error && <Notice tone="error">{sentence(error)}</Notice>}
      {requests.length > 0 && (
        <ul className="people-requests" aria-label="Access requests">
          {requests.map((request) => <Request key={request.id} request={request} />)}
        </ul>
      )}
    </Section>
  );
}

function Request({ request }: { readonly request: AccessRequest }) {
  const { id: bookId, can } = useBook();
  const { data: people = [] } = useCollaborators(bookId);
  const share = useShare();
  const decline = useDecline();
  const transfer = useTransfer();
  const permission = request.permission as GrantedPermission;
  const before = people.find((person) => person.email === request.email)?.permission as SharedPermission | undefined;
  return (
    <li>
      <div className="people-request-text">
        <p>
          <strong><bdi>{request.email}</bdi></strong> asks for <strong>{PERMISSION_NAMES[permission].toLowerCase()}</strong>
          <span className="muted"> {formatDistance(request.createdAt)}</span>
        </p>
        {request.message && <blockquote className="people-message"><bdi>{request.message}</bdi></blockquote>}
      </div>
      <div className="actions">
        {permission !== 'OWNER' ? (
          <Button look="primary" aria-label={`Accept ${request.email}`} isDisabled={share.isPending} onPress={() => void share.run({ email: request.email!, permission, before })}>Accept</Button>
        ) : can('OWNER') ? (
          <ConfirmButton label="Accept" name={`Accept ${request.email}`} look="primary" question="Give the book away?" confirm="Make them the owner" onConfirm={() => void transfer.run({ email: request.email! })}>
            <bdi>{request.email}</bdi> becomes the owner at once, and you keep the permission to edit.
          </ConfirmButton>
        ) : (
          <span className="muted">Only the owner can accept this.</span>
        )}
        <Button aria-label={`Decline ${request.email}`} isDisabled={decline.isPending} onPress={() => void decline.run(request)}>Decline</Button>
      </div>
    </li>
  );
}
