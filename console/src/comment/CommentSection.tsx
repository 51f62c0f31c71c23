import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { sentence } from '~/api/problem';
import { useUser } from '~/book/queries';
import { useBook } from '~/book/types';
import { formatInstant } from '~/lib/instant';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import { useComments, useDeleteComment, useWriteComment, type Comment } from './comments';
import './CommentSection.css';

const MAX_LENGTH = 2000;

/** What people typed and did not send, by transaction: a closed panel does not lose it. */
const unsent = new Map<string, string>();

/** The comments on a transaction, oldest first, and a field for a new one. */
export function CommentSection({ transactionId, autoFocus }: { readonly transactionId: string; readonly autoFocus: boolean }) {
  const { data: comments, error } = useComments(transactionId);
  const [text, setText] = useState(unsent.get(transactionId) ?? '');
  const write = useWriteComment(transactionId);
  if (error) return <section className="panel-section"><h3>Comments</h3><p className="negative">{sentence(error)}</p></section>;
  if (!comments) return null;
  const change = (next: string) => {
    unsent.set(transactionId, next);
    setText(next);
  };
  const isReady = text.trim() !== '' && text.trim().length <= MAX_LENGTH && !write.isPending;
  const send = async () => {
    if (isReady && (await write.run(text.trim()))) change('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
    }
  };
  return (
    <section className="panel-section">
      <h3>Comments</h3>
      {comments.length > 0 && <ol className="comments">{comments.map((comment) => <CommentItem key={comment.id} comment={comment} transactionId={transactionId} />)}</ol>}
      <form noValidate className="comment-form" onSubmit={submit}>
        <TextField
          label="New comment" isCompact isMultiline autoFocus={autoFocus} value={text} onChange={change} onKeyDown={onKeyDown} placeholder="Comment for everybody who shares the book"
          error={text.trim().length > MAX_LENGTH ? `At most ${MAX_LENGTH} characters` : undefined}
        />
        {text.trim() !== '' && <Button type="submit" look="primary" isDisabled={!isReady}>Comment</Button>}
      </form>
    </section>
  );
}

function CommentItem({ comment, transactionId }: { readonly comment: Comment; readonly transactionId: string }) {
  const { can, pattern, book } = useBook();
  const { data: me } = useUser();
  const remove = useDeleteComment(transactionId);
  const { user, agent } = comment;
  const isOwn = me?.username !== undefined && me.username === user.username;
  return (
    <li className="comment">
      <div className="comment-head">
        <strong><bdi>{user.name || user.username}</bdi></strong>
        {agent?.name && <span className="muted">with <bdi>{agent.name}</bdi></span>}
        <span className="muted">{formatInstant(comment.createdAt, pattern, book.timeZone)}</span>
        {(isOwn || can('OWNER')) && <Button look="ghost" icon="close" aria-label="Delete the comment" isDisabled={remove.isPending} onPress={() => void remove.run(comment)} />}
      </div>
      <p className="comment-text"><bdi>{comment.text}</bdi></p>
    </li>
  );
}
