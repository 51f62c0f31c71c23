import { expect, test } from 'vitest';
import { plainText } from './plainText';

test.each([
  ['Done, 19 %', 'Done, 19 %'],
  ['<p>Rate <b>19 %</b></p><p>See <a href="javascript:x">here</a></p>', 'Rate 19 %\nSee here'],
  ['a<br>b &amp; c &lt;d&gt; &#8364; &#x20AC; &unknown;', 'a\nb & c <d> € € &unknown;'],
  ['x<script>alert(1)</script><img src=x onerror=alert(1)>y<!-- z -->', 'xy'],
  ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
  ['<p>Tax <b>2.00</b></p>\n\n<p>recorded</p>', 'Tax 2.00\nrecorded'],
  [' a<br/>b&nbsp;c&#39;s ', "a\nb c's"],
  ['&lt;script&gt; &#1114112;', '<script> &#1114112;'],
])('%s', (message, text) => {
  expect(plainText(message)).toBe(text);
});
