/** Hashtags of descriptions (behaviour 3.9.1): reading what a person typed, adding and removing. */

const TAG = /^[\p{L}\p{M}\p{N}_\u200c\u200d]+$/u;

export interface TagEdit {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Reads `#travel food -old`; undefined when a word cannot be a hashtag or nothing is left. */
export function readTagEdit(text: string): TagEdit | undefined {
  const add: string[] = [];
  const remove: string[] = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const negated = word.startsWith('-');
    const tag = word.replace(/^-?#?/, '');
    if (!TAG.test(tag)) return undefined;
    (negated ? remove : add).push(tag);
  }
  return add.length + remove.length > 0 ? { add, remove } : undefined;
}

const pattern = (tag: string) => new RegExp(`(^|[^\\p{L}\\p{M}\\p{N}_\\u200c\\u200d])#${tag}(?![\\p{L}\\p{M}\\p{N}_\\u200c\\u200d])`, 'giu');

export function hasTag(text: string, tag: string): boolean {
  return pattern(tag).test(text);
}

/** The description with hashtags added at the end and removed wherever they stand. */
export function applyTagEdit(text: string, { add, remove }: TagEdit): string {
  const kept = remove.reduce((rest, tag) => rest.replace(pattern(tag), '$1'), text).replace(/[ \t]{2,}/g, ' ').trim();
  return add.reduce((rest, tag) => (hasTag(rest, tag) ? rest : `${rest} #${tag}`.trim()), kept);
}
