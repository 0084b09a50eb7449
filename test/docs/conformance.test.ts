import { expect, test } from 'vitest';
import { filesFor, readInventory, unknown, untested } from '../conformance/inventory.ts';
import { type Item, items, type Version } from '../conformance/items.ts';
import { expectGenerated, table } from './generated.ts';

const inventory = readInventory();

test('the items are numbered from 1 to 70', () => {
  expect(items.map(({ number }) => number)).toEqual(Array.from({ length: 70 }, (_, n) => n + 1));
});

test('each item has a test in each version that has it', () => {
  expect(untested(inventory)).toEqual([]);
});

test('no test speaks of an item that does not exist', () => {
  expect(unknown(inventory)).toEqual([]);
});

test('no test is switched off', () => {
  expect(inventory.switchedOff).toEqual([]);
});

test('the table of items is what the tests say', () => {
  const rows = items.map((item) => [
    String(item.number),
    item.rule,
    `${item.level}: ${item.versions.join(', ')}`,
    item.versions.map((version) => testsOf(item, version)).join('; '),
    statusOf(item),
  ]);
  expectGenerated('docs/conformance.md', 'items', table(['', 'rule', 'level', 'tests', 'status'], rows));
});

function statusOf(item: Item): string {
  const gaps = item.versions.filter((version) => filesFor(item, version, inventory).length === 0);
  if (gaps.length > 0) return `no test in ${gaps.join(', ')}`;
  return item.editor === undefined ? 'held' : `held; the editor: ${item.editor}`;
}

function testsOf(item: Item, version: Version): string {
  return filesFor(item, version, inventory)
    .map((file) => `[${version} ${file.replace(/^v\d\/|\.test\.ts$/g, '')}](../test/conformance/${file})`)
    .join(', ');
}
