/** Copies text. The clipboard API needs a secure context; elsewhere a hidden text area is copied. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The browser asked and was refused, or has no permission API: try the old way.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden-visually';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
