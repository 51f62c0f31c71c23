import { sessionRights } from '~/api/session';
import { useUser } from '~/book/queries';
import { useHeaderInfo } from '~/frame/headerInfo';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { SectionPage } from '~/ui/Section';
import { Invite } from './Invite';
import { Status } from './Status';
import { Users } from './Users';

/** The installation, for its administrators: what needs attention, users, invitations. */
export default function AdministrationPage() {
  useHeaderInfo({ title: 'Administration' });
  // The rights come with the token, which every page has once the user is loaded.
  const { data: user } = useUser();
  if (!user) return <Loading />;
  const { administrator, mailsLinks } = sessionRights();
  if (!administrator) {
    return <EmptyState title="Only for administrators">The operator of this server names its administrators.</EmptyState>;
  }
  return (
    <SectionPage>
      <Status />
      <Users own={user.email ?? ''} />
      {!mailsLinks && <Invite />}
    </SectionPage>
  );
}
