import { useBooks } from '~/book/queries';
import { bookHomePath } from '~/book/paths';
import { useHeaderInfo } from '~/frame/headerInfo';
import { Link } from '~/ui/Link';
import { Notice, Section, SectionPage } from '~/ui/Section';
import { requestable } from './permissions';
import { RequestForm } from './RequestForm';
import './people.css';

/** Where the link for requests leads: somebody without access asks the owner for it. */
export default function RequestAccessPage({ requestedId = '' }: { readonly requestedId?: string }) {
  const known = useBooks().data?.find((book) => book.id === requestedId);
  useHeaderInfo({ title: 'Ask for access' });
  return (
    <SectionPage>
      <Section title="Ask for access to a book" lead="The owner sees your e-mail address and your message, and decides. You find the book in your list once it is shared with you.">
        {known ? (
          <Notice>You have access to <Link to={bookHomePath(known.id!)}><bdi>{known.name}</bdi></Link> already.</Notice>
        ) : (
          <RequestForm bookId={requestedId} permissions={requestable('NONE', false)} />
        )}
      </Section>
    </SectionPage>
  );
}
