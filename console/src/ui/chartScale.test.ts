import { expect, test } from 'vitest';
import { labelStep, sparkPath, valueRange } from './chartScale';

test('bars start at zero, lines use the space', () => {
  expect(valueRange(50, 100, true)).toEqual([0, 108]);
  expect(valueRange(-100, -50, true)).toEqual([-108, 0]);
  expect(valueRange(50, 100, false)[0]).toBeCloseTo(46);
});

test('a flat or empty series has a range', () => {
  expect(valueRange(null, null, true)).toEqual([0, 1]);
  expect(valueRange(0, 0, false)).toEqual([0, 1]);
  expect(valueRange(5, 5, false)).toEqual([0, 5]);
  expect(valueRange(-5, -5, false)).toEqual([-5, 0]);
});

test('labels are left out where they do not fit', () => {
  expect(labelStep(12, 1200, 80)).toBe(1);
  expect(labelStep(12, 400, 80)).toBe(3);
});

test('a sparkline runs from the left to the right edge', () => {
  expect(sparkPath([0, 5, 10], 100, 20)).toBe('M0.0 20.0L50.0 10.0L100.0 0.0');
  expect(sparkPath([3, 3], 10, 20)).toBe('M0.0 10.0L10.0 10.0');
  expect(sparkPath([1], 10, 20)).toBe('');
});
