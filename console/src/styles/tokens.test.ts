import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');

/** The colours of a token in the light and in the dark theme. */
function colours(token: string): [string, string] {
  const pair = new RegExp(`--${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
  if (pair) return [pair[1]!, pair[2]!];
  const single = new RegExp(`--${token}: (#\\w{6});`).exec(css)?.[1];
  if (!single) throw new Error(`no token ${token}`);
  return [single, single];
}

function luminance(colour: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(first: string, second: string): number {
  const [low, high] = [luminance(first), luminance(second)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const surfaces = ['bg', 'bg-side', 'bg-raised', 'bg-field', 'bg-hover', 'bg-selected', 'bg-tag'];
const texts = ['text', 'text-muted', 'accent', 'negative', 'positive', 'warning'];
const pairs = [
  ...surfaces.flatMap((surface) => texts.map((text) => [text, surface, 4.5] as const)),
  ['on-accent', 'accent-bg', 4.5] as const,
  ['on-accent', 'accent-bg-hover', 4.5] as const,
  ['warning', 'warning-bg', 4.5] as const,
  ['negative', 'negative-bg', 4.5] as const,
  ['rule-strong', 'bg-field', 3] as const, // borders of controls
];

test.each(pairs)('contrast of %s on %s is at least %d', (text, surface, least) => {
  const [textLight, textDark] = colours(text);
  const [surfaceLight, surfaceDark] = colours(surface);
  expect(contrast(textLight, surfaceLight)).toBeGreaterThanOrEqual(least);
  expect(contrast(textDark, surfaceDark)).toBeGreaterThanOrEqual(least);
});

/** The value of a custom property, with its spaces as they are. */
function valueOf(text: string, name: string): string | undefined {
  return new RegExp(`^\\s*${name}: ([^;]+);`, 'm').exec(text)?.[1];
}

test('the pages of the server have the colours and fonts of the console', () => {
  const pages = readFileSync(new URL('../../../crates/auth/src/session/style.css', import.meta.url), 'utf8');
  const names = [...pages.matchAll(/^\s*(--[\w-]+):/gm)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(12);
  // The page behind the card has the colour of the console's sidebar.
  const others: Readonly<Record<string, string>> = { '--bg': '--bg-side' };
  const tokens = (name: string) => valueOf(css, others[name] ?? name);
  expect(names.map((name) => [name, valueOf(pages, name)])).toEqual(names.map((name) => [name, tokens(name)]));
  expect([...pages.matchAll(/var\((--[\w-]+)\)/g)].map((match) => match[1]!).filter((name) => !names.includes(name))).toEqual([]);
});
