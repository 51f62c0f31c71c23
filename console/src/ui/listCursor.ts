/** Rows that are searched before and after the old place of the cursor row. */
const REACH = 1000;

/**
 * Where the cursor row is now. Rows that others record or remove above it must not put the cursor on another
 * row, which the next key would then change. A row that is gone leaves its place to the one that followed.
 */
export function placeOf(key: string, index: number, count: number, keyAt: (index: number) => string): number {
  if (index < 0 || count === 0) return -1;
  for (let distance = 0; distance <= REACH; distance += 1) {
    const [before, after] = [index - distance, index + distance];
    if (before >= 0 && before < count && keyAt(before) === key) return before;
    if (after < count && keyAt(after) === key) return after;
    if (before < 0 && after >= count) break;
  }
  return Math.min(index, count - 1);
}
