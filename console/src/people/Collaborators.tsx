import { useBook } from '~/book/types';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { navigate } from '~/lib/router';
import { ConfirmButton } from '~/ui/Confirm';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { Notice, Section } from '~/ui/Section';
import { formatInstant } from '~/ui/times';
import { useLeave, useRemove, useShare } from './actions';
import { COLLABORATOR_COLUMNS } from './listing';
import { PERMISSION_CHOICES, PERMISSION_NAMES, type GrantedPermission, type SharedPermission } from './permissions';
import type { Collaborator } from './queries';
import { ShareForm } from './ShareForm';

export function Collaborators({ people, me }: { readonly people: readonly Collaborator[]; readonly me: Collaborator | undefined }) {
  const { can, book } = useBook();
  return (
    <Section
      title="Collaborators"
      lead={people.length > 1 ? undefined : 'Nobody else works in this book yet. Share it with a partner, a colleague or your accountant.'}
      actions={<ListMenu what="the collaborators" list={() => listOf(COLLABORATOR_COLUMNS, people)} />}
    >
      {can('EDITOR') && <ShareForm people={people} />}
      <table className="plain-table" aria-label="Collaborators">
        <thead>
          <tr><th scope="col">Address</th><th scope="col">Permission</th><th scope="col">Since</th><th scope="col"><span className="hidden-visually">Actions</span></th></tr>
        </thead>
        <tbody>
          {people.map((person) => <Row key={person.id} person={person} isMe={person.id === me?.id} />)}
        </tbody>
      </table>
      {!me && <Notice>You read this book because it is public. <bdi>{book.ownerName}</bdi> has not added you.</Notice>}
    </Section>
  );
}

function Row({ person, isMe }: { readonly person: Collaborator; readonly isMe: boolean }) {
  const { book, can } = useBook();
  const share = useShare();
  const remove = useRemove();
  const leave = useLeave();
  const isOwner = person.permission === 'OWNER';
  const change = (permission: SharedPermission) =>
    void share.run({ email: person.email!, permission, before: person.permission as SharedPermission });
  return (
    <tr>
      <td>
        <bdi>{person.email}</bdi>
        {isMe && <> <span className="badge">you</span></>}
      </td>
      <td className="people-permission">
        {can('EDITOR') && !isOwner && !isMe ? (
          <ChoiceField isCompact label={`Permission of ${person.email}`} value={person.permission as SharedPermission} choices={PERMISSION_CHOICES} isDisabled={share.isPending} onChange={change} />
        ) : (
          PERMISSION_NAMES[person.permission as GrantedPermission]
        )}
      </td>
      <td className="muted cell-minor">{formatInstant(person.createdAt, book.timeZone)}</td>
      <td className="cell-actions">
        {isMe && !isOwner ? (
          <ConfirmButton
            label="Leave" question={`Leave ${book.name}?`} confirm="Leave the book" look="danger"
            onConfirm={() => void leave.run(person).then((left) => left && navigate('/books'))}
          >
            You will not see this book any more. Somebody who shares it must add you again.
          </ConfirmButton>
        ) : can('EDITOR') && !isOwner ? (
          <Button look="ghost" aria-label={`Remove ${person.email}`} isDisabled={remove.isPending} onPress={() => void remove.run(person)}>Remove</Button>
        ) : null}
      </td>
    </tr>
  );
}
