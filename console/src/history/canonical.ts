/** The canonical form of events (behaviour 8.15): JSON with sorted keys and without spaces (RFC 8785). */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Serializes a value. `JSON.stringify` already writes numbers and strings as RFC 8785 says. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const object = value as { readonly [key: string]: JsonValue };
    // The default order of strings is that of UTF-16 code units, which RFC 8785 asks for.
    return `{${Object.keys(object).sort().map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key]!)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a JSON number');
  return JSON.stringify(value);
}
