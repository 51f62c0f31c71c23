import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { digest, fromHex, sha256, toHex } from './sha256';

const bytes = (text: string) => new TextEncoder().encode(text);

test('the vectors of FIPS 180-4 match', () => {
  const vectors: [string, string][] = [
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
    ],
  ];
  for (const [text, hash] of vectors) expect(toHex(sha256(bytes(text)))).toBe(hash);
});

test('a million letters match', () => {
  expect(toHex(sha256(bytes('a'.repeat(1_000_000))))).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
});

test('every length around a block matches another implementation', () => {
  for (let length = 0; length <= 200; length += 1) {
    const data = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
    expect(toHex(sha256(data))).toBe(createHash('sha256').update(data).digest('hex'));
  }
});

test('the implementation of the browser gives the same', async () => {
  expect(toHex(await digest(bytes('abc')))).toBe(toHex(sha256(bytes('abc'))));
});

test('hex is read strictly', () => {
  expect(fromHex('00ff')).toEqual(Uint8Array.of(0, 255));
  expect(fromHex('00F')).toBeUndefined();
  expect(fromHex('00FF')).toBeUndefined();
});
