import { useState, type FormEvent } from 'react';
import { sentence } from '~/api/problem';
import { ListMenu } from '~/export/ListMenu';
import { formatSize } from '~/file/types';
import { useQueryState } from '~/lib/router';
import { addressFault } from '~/people/permissions';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { Loading } from '~/ui/EmptyState';
import { TextField } from '~/ui/fields/Field';
import { Notice, Section } from '~/ui/Section';
import { formatDistance } from '~/ui/times';
import { useDisableUser, useEnableUser } from './actions';
import { userListing } from './listing';
import { useInstallationUsers, type InstallationUser } from './queries';

const numbers = new Intl.NumberFormat('en');

/** The users by address, in pages, with a way to find one. */
export function Users({ own }: { readonly own: string }) {
  const [email, setEmail] = useQueryState('email');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInstallationUsers(email);
  const users = data?.pages.flatMap((page) => page.items);
  return (
    <Section title="Users" actions={users && <ListMenu what="the users" list={() => userListing(email)} />} lead="Transactions and storage are those of the books that a user owns. A disabled user cannot sign in, and keeps all books.">
      <Search key={email} email={email} onSearch={setEmail} />
      {error && <Notice tone="error">{sentence(error)}</Notice>}
      {!users && !error && <Loading />}
      {users?.length === 0 && <p className="muted">No user has this address.</p>}
      {users && users.length > 0 && (
        <table className="plain-table" aria-label="Users">
          <thead>
            <tr>
              <th scope="col">E-mail address</th><th scope="col">Last sign-in</th><th scope="col" className="number">Transactions</th>
              <th scope="col" className="number">Storage</th><th scope="col"><span className="hidden-visually">Actions</span></th>
            </tr>
          </thead>
          <tbody>{users.map((user) => <UserRow key={user.id} user={user} isOwn={user.email === own} />)}</tbody>
        </table>
      )}
      {hasNextPage && <div className="actions"><Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>Show more users</Button></div>}
    </Section>
  );
}

function Search({ email, onSearch }: { readonly email: string; readonly onSearch: (email: string) => void }) {
  const [typed, setTyped] = useState(email);
  const [fault, setFault] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = typed.trim() ? addressFault(typed) : undefined;
    setFault(wrong);
    if (!wrong) onSearch(typed.trim());
  };
  return (
    <form className="form-line" role="search" noValidate onSubmit={submit}>
      <TextField label="Find an e-mail address" inputMode="email" value={typed} onChange={setTyped} error={fault} />
      <Button type="submit">Find</Button>
      {email && <Button look="ghost" onPress={() => onSearch('')}>Show all users</Button>}
    </form>
  );
}

function UserRow({ user, isOwn }: { readonly user: InstallationUser; readonly isOwn: boolean }) {
  return (
    <tr className={user.active ? undefined : 'is-ended'}>
      <td>
        <bdi>{user.email}</bdi>
        {isOwn && <> <span className="badge">you</span></>}
        {user.administrator && <> <span className="badge">administrator</span></>}
        {!user.active && <> <span className="badge badge-error">disabled</span></>}
      </td>
      <td className="muted">{user.signedInAt ? formatDistance(user.signedInAt) : 'no session'}</td>
      <td className="number">{numbers.format(user.transactions)}<span className="hidden-visually"> transactions</span></td>
      <td className="number">{formatSize(user.bytes)}</td>
      <td className="cell-actions">{!isOwn && <Toggle user={user} />}</td>
    </tr>
  );
}

function Toggle({ user }: { readonly user: InstallationUser }) {
  const disable = useDisableUser();
  const enable = useEnableUser();
  if (!user.active) {
    return <Button isDisabled={enable.isPending} aria-label={`Enable ${user.email}`} onPress={() => void enable.run(user)}>Enable</Button>;
  }
  return (
    <ConfirmButton
      label="Disable" name={`Disable ${user.email}`} question="Disable this user?" confirm="Disable the user"
      look="danger" isDisabled={disable.isPending} onConfirm={() => void disable.run(user)}
    >
      <bdi>{user.email}</bdi> is signed out within seconds, and so are the apps and programs of this user. Books and their collaborators stay.
    </ConfirmButton>
  );
}
