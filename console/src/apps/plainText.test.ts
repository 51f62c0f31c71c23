import { expect, test } from 'vitest';
import { plainText } from './plainText';

test('tags are removed and lines kept', () => {
  expect(plainText('<p>Tax <b>2.00</b></p><p>recorded</p>')).toBe('Tax 2.00\nrecorded');
  expect(plainText('a<br/>b')).toBe('a\nb');
});

test('hostile markup stays text', () => {
  expect(plainText('<img src=x onerror=alert(1)>x')).toBe('x');
  expect(plainText('1 < 2 & 3 > 2')).toBe('1 < 2 & 3 > 2');
  expect(plainText('&lt;script&gt;')).toBe('<script>');
});
