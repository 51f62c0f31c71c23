/** The text of a message that may be HTML (behaviour 8.7). Nothing of it is rendered as markup. */
export function plainText(message: string): string {
  if (!/[<&]/.test(message)) return message;
  const parsed = new DOMParser().parseFromString(message.replace(/<br\s*\/?>|<\/(p|div|li)>/gi, '$&\n'), 'text/html');
  parsed.querySelectorAll('script, style, template').forEach((element) => element.remove());
  return (parsed.body.textContent ?? '').trim();
}
