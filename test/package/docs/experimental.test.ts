import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { unstableFeatures } from '../../../src/protocol/feature.ts';
import { dialects } from '../../oracle/ours.ts';
import { topics } from '../../oracle/unstable-parts.ts';
import { root } from './pages.ts';
import { checker, entries, exportsOf } from './public-names.ts';

const hasTag = (symbol: ts.Symbol) => symbol.getJsDocTags().some(({ name }) => name === 'experimental');

const symbols = new Map(entries.flatMap(exportsOf).map((symbol) => [symbol.name, symbol]));

function membersOf(symbol: ts.Symbol): readonly ts.Symbol[] {
  const isObject = (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  return isObject ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)) : [];
}

/** The methods of the protocol, as members of these types. */
const methodTables = ['AgentRequests', 'AgentNotifications'];

test('the public names with the tag @experimental are those of the unstable topics', () => {
  const marked = [...symbols.values()].flatMap((symbol) => [
    ...(hasTag(symbol) ? [symbol.name] : []),
    ...(methodTables.includes(symbol.name) ? [] : membersOf(symbol))
      .filter(hasTag)
      .map((member) => `${symbol.name}.${member.name}`),
  ]);
  // A type that extends another one has its members too.
  const inherited = ['AcpState.suggestions', 'OpenSessionParams.configOptions'];
  const named = topics.flatMap(({ names }) => names ?? []);
  expect(marked.filter((name) => !inherited.includes(name)).sort()).toEqual([...named].sort());
});

test('the methods with the tag are those that need an unstable feature', () => {
  const methods = new Map(
    Object.values(dialects)
      .flat()
      .flatMap(({ agentMethods }) => Object.entries(agentMethods)),
  );
  const listed = methodTables.flatMap((name) => membersOf(symbols.get(name) as ts.Symbol));
  expect(listed.length).toBeGreaterThan(25);
  for (const symbol of listed) {
    const requires = methods.get(symbol.name)?.requires;
    const isUnstable = requires !== undefined && unstableFeatures.has(requires);
    expect({ method: symbol.name, isMarked: hasTag(symbol) }).toEqual({
      method: symbol.name,
      isMarked: isUnstable,
    });
  }
});

test('the record about version 1.0 says what is promised of each entry', () => {
  const record = readFileSync(join(root, 'docs/decisions/0023-public-api-of-1-0.md'), 'utf8');
  const rows = [...record.matchAll(/^\| `(acp-client-sdk|\/[\w/.-]+)` \|/gm)].map(([, entry]) => entry);
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = Object.keys(exports).map((entry) => (entry === '.' ? 'acp-client-sdk' : entry.slice(1)));
  expect(rows.sort()).toEqual(named.sort());
});
