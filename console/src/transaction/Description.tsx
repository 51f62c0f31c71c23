import { Fragment } from 'react';
import { joinQuery } from '~/lib/query';
import { useQueryState, withParams } from '~/lib/router';
import { Link } from '~/ui/Link';

/** The description with its hashtags as links that add the hashtag to the query. */
export function Description({ text, tags }: { readonly text: string; readonly tags: readonly string[] }) {
  const [query] = useQueryState('q');
  if (tags.length === 0) return <bdi>{text}</bdi>;
  const known = new Set(tags);
  const parts = text.split(/(#[\p{L}\p{M}\p{N}_\u200c\u200d]+)/u);
  return (
    <bdi>
      {parts.map((part, index) =>
        part.startsWith('#') && known.has(part.slice(1)) ? (
          <Link key={index} to={withParams({ q: joinQuery(query, part), panel: null })} className="tag" tabIndex={-1}>{part}</Link>
        ) : (
          <Fragment key={index}>{part}</Fragment>
        ),
      )}
    </bdi>
  );
}
