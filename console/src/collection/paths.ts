export function collectionPath(id: string): string {
  return `/collections/${encodeURIComponent(id)}`;
}
