import { describe, expect, test } from 'vitest';
import { complete, dateTerms, hasDateTerms, joinQuery, quoteValue, rank, tokenize, withoutDateTerms, type CompletionSources } from './query';

const kinds = (text: string) => tokenize(text).map((token) => `${token.negated ? '-' : ''}${token.kind}${token.operator ? `(${token.operator}=${token.value})` : `(${text.slice(token.start, token.end)})`}`);

describe('tokens', () => {
  test.each([
    ["account:'Credit Card' lunch", ['term(account=Credit Card)', 'text(lunch)']],
    ['on: 25/01/2020', ['term(on=25/01/2020)']],
    ['after: #tag', ['term(after=)', 'hashtag(#tag)']],
    ['amount>=100', ['term(amount=100)']],
    ['(#food OR #fuel) -is:checked', ['paren(()', 'hashtag(#food)', 'keyword(OR)', 'hashtag(#fuel)', 'paren())', '-term(is=checked)']],
    ['10:30 https://example.com', ['text(10:30)', 'text(https://example.com)']],
    ["account:'Owner\\'s Equity'", ["term(account=Owner's Equity)"]],
    ["account:'Owner's Equity'", ["term(account=Owner's Equity)"]],
    ['"two words" -', ['text("two words")', 'text(-)']],
    ["account:'open end", ['term(account=open end)']],
    ['', []],
  ])('%s', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  test('tokens cover every character that is not a space', () => {
    for (const text of ['a:b(c)d', "''x", '-(-)', ':::', '#', "'a''b'", '((']) {
      const tokens = tokenize(text);
      expect(tokens.map((token) => text.slice(token.start, token.end)).join('')).toBe(text.replace(/\s/g, ''));
    }
  });
});

describe('edits', () => {
  test('values are quoted where needed', () => {
    expect(quoteValue('Cash')).toBe('Cash');
    expect(quoteValue('Credit Card')).toBe("'Credit Card'");
    expect(quoteValue("Owner's")).toBe("'Owner\\'s'");
    expect(tokenize(`account:${quoteValue("a\\b' c")}`)[0]!.value).toBe("a\\b' c");
  });

  test('date terms are found and removed', () => {
    expect(hasDateTerms('lunch on:2026')).toBe(true);
    expect(hasDateTerms("'on:2026'")).toBe(false);
    expect(dateTerms("lunch after:$m-1 -on:2026 account:Cash before:$m")).toBe('after:$m-1 before:$m');
    expect(withoutDateTerms("after:$m-1 account:'Credit Card' before:$m")).toBe("account:'Credit Card'");
  });

  test('empty parts are skipped', () => {
    expect(joinQuery('account:1', '', undefined, ' on:2026 ')).toBe('account:1 on:2026');
  });
});

describe('completion', () => {
  const sources: CompletionSources = {
    accounts: ['Cash', 'Café', 'Credit Card', 'Petty Cash'],
    groups: ['Current Assets'],
    hashtags: ['food', 'fuel'],
    propertyKeys: ['customer'],
    users: ['ada'],
  };
  const labels = (marked: string) => {
    const caret = marked.indexOf('|');
    return complete(marked.replace('|', ''), caret, sources).items.map((item) => item.label);
  };

  test.each([
    ['acc|', ['account:']],
    ['account:ca|', ['Cash', 'Café', 'Credit Card', 'Petty Cash']],
    ["from:'credit c|", ['Credit Card']],
    ['group:|', ['Current Assets']],
    ['#fu|', ['#fuel']],
    ['-#fu|', ['#fuel']],
    ['is:un|', ['unchecked']],
    ['on:$m|', ['$m', '$m-1']],
    ['cust|', ['customer:']],
    ['by:|', ['ada']],
    ['caf|', ['Café']],
    ['is:draft |', []],
    ["'ca|", []],
  ])('%s', (marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });

  test('an item replaces the whole value', () => {
    const completion = complete('account:cre on:2026', 11, sources);
    expect([completion.from, completion.to, completion.items[0]!.insert]).toEqual([8, 11, "'Credit Card' "]);
  });

  test('names match by any part, without accents', () => {
    expect(rank(['Überweisung', 'Kosten über alles', 'Grüber'], 'uber')).toEqual(['Überweisung', 'Kosten über alles', 'Grüber']);
  });
});
