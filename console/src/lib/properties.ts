/** Properties of resources: maps of text to text (behaviour 4.6). */

export type Properties = Readonly<Record<string, string>>;

/** What changes `before` into `after` in an update: absent keys stay, so removed ones become empty (4.6). */
export function propertyChanges(before: Properties, after: readonly (readonly [string, string])[]): Record<string, string> {
  const wanted = new Map(after.flatMap(([key, value]) => (key.trim() && value.trim() ? [[key.trim(), value] as const] : [])));
  const changes: Record<string, string> = {};
  for (const key of Object.keys(before)) if (!wanted.has(key)) changes[key] = '';
  for (const [key, value] of wanted) if (before[key] !== value) changes[key] = value;
  return changes;
}

/** Properties of a response; the contract allows null, which only bodies have. */
export function toProperties(properties: Readonly<Record<string, string | null>> | null | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(properties ?? {}).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}

/** Keys and values for people: without those that user interfaces hide and those in `except`. */
export function shownProperties(properties: Readonly<Record<string, string | null>> | null | undefined, except: readonly string[] = []): readonly (readonly [string, string])[] {
  return Object.entries(toProperties(properties)).filter(([key]) => !except.includes(key) && !key.endsWith('_'));
}
