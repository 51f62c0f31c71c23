import { bookHomePath } from '~/book/paths';
import { useBook } from '~/book/types';
import { href } from '~/lib/router';
import { Button } from '~/ui/Button';
import { copyText } from '~/ui/clipboard';
import { ConfirmButton } from '~/ui/Confirm';
import { Notice, Section } from '~/ui/Section';
import { showToast } from '~/ui/toasts';
import { useVisibility } from './actions';

/** Private or public. Only the owner changes it, after a warning. */
export function VisibilitySection() {
  const { id: bookId, book, can } = useBook();
  const visibility = useVisibility();
  const isPublic = book.visibility === 'PUBLIC';
  const copy = () => {
    const url = new URL(href(bookHomePath(bookId)), window.location.href).href;
    void copyText(url).then((copied) => showToast(copied ? 'Link copied' : url));
  };
  return (
    <Section title="Visibility">
      {isPublic ? (
        <Notice tone="warning">
          <strong>Public.</strong> Every user of this server who has the link reads all transactions, balances and files of this book. They cannot change anything, and they do not see who works in it.
        </Notice>
      ) : (
        <p><strong>Private.</strong> Only the collaborators above open this book.</p>
      )}
      {(can('OWNER') || isPublic) && (
        <div className="actions">
          {can('OWNER') && (isPublic ? (
            <Button look="primary" isDisabled={visibility.isPending} onPress={() => void visibility.run('PRIVATE')}>Make it private</Button>
          ) : (
            <ConfirmButton label="Make it public" look="danger" question={`Make ${book.name} public?`} confirm="Make it public" isDisabled={visibility.isPending} onConfirm={() => void visibility.run('PUBLIC')}>
              <p>Every user of this server who has the link will read <strong>everything</strong> in this book: all transactions, balances, files and the history, past and future.</p>
              <p>You can make it private again, but not take back what others have read.</p>
            </ConfirmButton>
          ))}
          {isPublic && <Button onPress={copy}>Copy the link</Button>}
        </div>
      )}
      {!can('OWNER') && <p className="muted">Only the owner changes this.</p>}
    </Section>
  );
}
