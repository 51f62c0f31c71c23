import { useBook } from '~/book/types';
import { Section } from '~/ui/Section';
import { requestable } from './permissions';
import { RequestForm } from './RequestForm';

/** For collaborators below the owner, and readers of a public book. */
export function AskForMore({ isCollaborator }: { readonly isCollaborator: boolean }) {
  const { id: bookId, book } = useBook();
  const permissions = requestable(book.permission ?? 'NONE', isCollaborator);
  if (permissions.length === 0) return null;
  return (
    <Section title="Ask for more" lead={<>The request goes to the owner, <bdi>{book.ownerName}</bdi>. It grants nothing until it is accepted.</>}>
      <RequestForm bookId={bookId} permissions={permissions} />
    </Section>
  );
}
