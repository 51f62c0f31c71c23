import { expect, test } from 'vitest';
import { applyTagEdit, hasTag, readTagEdit } from './tags';

test('typed hashtags are read with or without their sign', () => {
  expect(readTagEdit('#travel, food -old -#older')).toEqual({ add: ['travel', 'food'], remove: ['old', 'older'] });
  expect(readTagEdit('食費 #कर्ज़')).toEqual({ add: ['食費', 'कर्ज़'], remove: [] });
  expect(readTagEdit('a-b')).toBeUndefined();
  expect(readTagEdit(' ')).toBeUndefined();
});

test('only whole hashtags count', () => {
  expect(hasTag('Lunch #Food', 'food')).toBe(true);
  expect(hasTag('Lunch #foods', 'food')).toBe(false);
});

test('hashtags are added once and removed with their space', () => {
  expect(applyTagEdit('Lunch #food with Ada', { add: ['food', 'ada'], remove: [] })).toBe('Lunch #food with Ada #ada');
  expect(applyTagEdit('Lunch #food with Ada', { add: [], remove: ['food'] })).toBe('Lunch with Ada');
  expect(applyTagEdit('', { add: ['x'], remove: ['y'] })).toBe('#x');
});
