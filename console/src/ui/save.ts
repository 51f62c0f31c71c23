/** Lets the browser save something under a name. */

/** Saves what is at an address. */
export function follow(url: string, fileName: string): void {
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = fileName;
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}

export function saveBlob(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  follow(url, fileName);
  // The browser reads the address after this returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
