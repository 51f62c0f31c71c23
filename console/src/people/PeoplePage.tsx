import { isProblem, sentence } from '~/api/problem';
import { useUser } from '~/book/queries';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Notice, Section, SectionPage } from '~/ui/Section';
import { AccessRequests } from './AccessRequests';
import { AskForMore } from './AskForMore';
import { Collaborators } from './Collaborators';
import { PermissionTable } from './PermissionTable';
import { useCollaborators } from './queries';
import { TransferSection } from './TransferSection';
import { VisibilitySection } from './VisibilitySection';
import './people.css';

/** Who works in a book, who asks to, and whom it belongs to. */
export default function PeoplePage() {
  const { id: bookId, book, can } = useBook();
  const { data: people, error } = useCollaborators(bookId);
  const { data: user } = useUser();
  useHeaderInfo({ title: 'People' });
  const isHidden = isProblem(error, 'forbidden');
  if (error && !isHidden && !people) return <EmptyState title="The people cannot be loaded">{sentence(error)}</EmptyState>;
  if (!isHidden && (!people || !user)) return <Loading label="Loading the people" />;
  const me = people?.find((person) => person.email === user?.email);
  return (
    <SectionPage>
      {people ? (
        <Collaborators people={people} me={me} />
      ) : (
        <Section title="Collaborators">
          <Notice>Your permission does not show who else works in this book. It belongs to <bdi>{book.ownerName}</bdi>.</Notice>
        </Section>
      )}
      {can('EDITOR') && <AccessRequests />}
      <PermissionTable />
      {!can('OWNER') && <AskForMore isCollaborator={me !== undefined || book.visibility !== 'PUBLIC'} />}
      <VisibilitySection />
      <TransferSection people={people ?? []} me={me} />
    </SectionPage>
  );
}
