import { expect, test } from 'vitest';
import { formatSize, fromBase64, toBase64, viewOf } from './types';

test('only images and PDFs are shown; what could run scripts is a download', () => {
  expect(viewOf('image/PNG; x=y')).toBe('image');
  expect(viewOf('application/pdf')).toBe('pdf');
  for (const type of ['image/svg+xml', 'text/html', 'application/xhtml+xml', 'text/xml', '', undefined]) expect(viewOf(type)).toBeUndefined();
});

test('bytes survive Base64', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 31) % 256);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  expect(fromBase64('-_8')).toEqual(Uint8Array.of(251, 255));
});

test.each([[0, '0 bytes'], [2048, '2 KB'], [1_500_000, '1.4 MB'], [5_000_000_000, '4.7 GB']])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
