import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { agents } from '../../../src/agents/list.ts';
import { maxEntries } from '../../../src/agents/registry/content.ts';
import { registryDefaults } from '../../../src/agents/registry/open.ts';
import * as errors from '../../../src/core/base/errors.ts';
import { maxKnownCharacters, maxKnownTexts } from '../../../src/core/base/known-texts.ts';
import { timeoutMsOf } from '../../../src/core/client/calls/call-options.ts';
import { maxDiagnosticsPerSecond } from '../../../src/core/client/diagnostics.ts';
import { maxNotificationHandlers } from '../../../src/core/client/requests/notifications.ts';
import { maxAbandonedLoads } from '../../../src/core/client/session/abandoned-loads.ts';
import { maxUnconfirmedBytes } from '../../../src/core/client/session/registry.ts';
import { maxKeptChanges, maxKeptCharacters } from '../../../src/core/client/session/turn-events.ts';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { maxPlans } from '../../../src/core/conversation/plans.ts';
import { maxSubagents } from '../../../src/core/conversation/subagents.ts';
import { maxClientOutputBytes } from '../../../src/core/conversation/terminal-list.ts';
import type { ConversationEvent } from '../../../src/core/model/event.ts';
import type { CallName } from '../../../src/core/protocol/calls.ts';
import { featureNames, unstableFeatures } from '../../../src/core/protocol/feature.ts';
import type { AgentMethod } from '../../../src/core/protocol/method.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';
import {
  maxOpenRequests,
  maxUnreadAnswerBytes,
  maxUnreadBytes,
  maxUnreadMessages,
} from '../../../src/core/rpc/peer.ts';
import { maxCookieLength, maxCookies, maxOrigins } from '../../../src/core/transport/http/cookies.ts';
import { maxPostponementMs, maxPostponements } from '../../../src/core/transport/http/http-client.ts';
import { defaultMaxMessageBytes } from '../../../src/core/transport/message-text.ts';
import { maxDepth, maxParts } from '../../../src/core/transport/parse-message.ts';
import { removedVariables, savedVariables } from '../../../src/node/environment/editor-variables.ts';
import { defaultMaxScanBytes, maxConcurrentReads } from '../../../src/node/files/file-system.ts';
import { terminalDefaults } from '../../../src/node/terminals/terminals.ts';
import { keywords } from '../../../src/programs/demo/replies.ts';
import { maxUnreadBytes as maxUnreadPageBytes } from '../../../src/programs/inspector/server/channels.ts';
import { sliceCharacters, slowPageLimitMs } from '../../../src/programs/inspector/server/feed.ts';
import { maxCalls } from '../../../src/tools/calls.ts';
import { maxMessageBytes, slowReaderLimitMs } from '../../../src/tools/endpoint.ts';
import { maxConnections, maxMcpSessions, maxWaitingConnections } from '../../../src/tools/http.ts';
import { maxTools } from '../../../src/tools/registry.ts';
import { maxResultLength } from '../../../src/tools/result.ts';
import {
  maxOpenRequests as maxProgramRequests,
  maxUnreadBytes as maxUnreadProgramBytes,
} from '../../../src/tools/socket-wire.ts';
import { maxPrograms, tokenLimitMs } from '../../../src/tools/stdio.ts';
import { maxUnreadResultBytes } from '../../../src/tools/unread-results.ts';
import { losses } from '../../conformance/losses.ts';
import { demoAgent, runHere } from '../../process/cli/command-line.ts';
import { suites } from '../../suites.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { codeIn, expectGenerated, root, rowsBelow, table } from './pages.ts';

const dialects = [v1, v2Markers, v2Baseline];

test('the table of features is up to date', () => {
  const rows = featureNames.map((feature) => [
    `\`${feature}\`${unstableFeatures.has(feature) ? ' (unstable)' : ''}`,
    ...dialects.map(({ features }) => {
      const { path, kind, or } = features[feature];
      if (kind === 'always' || kind === 'never') return kind;
      return `\`${path}\` ${kind}${or ? `, or \`${or.path}\` ${or.kind}` : ''}`;
    }),
  ]);
  expectGenerated(
    'docs/capabilities.md',
    'features',
    table(['feature', 'version 1', 'version 2 with markers', 'version 2'], rows),
  );
});

test('the table of the settings with which agents ask is up to date', () => {
  const values = (list: readonly string[]) => list.map((value) => `\`${value}\``).join(', ');
  const folder = join(root, 'src/agents');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const files = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  // Comments, so that no program loads them.
  const places = files.flatMap((file) => [
    ...file.matchAll(/^\/\/ Seen in: (.+; \d{4}-\d\d-\d\d)\n.+ = \{\s+(?:\.{3}\w+,\s+)?names: \['(.+?)'/gm),
  ]);
  const seen = new Map(places.map(([, place = '', name = '']) => [name, place]));
  expect([...seen.keys()].sort()).toEqual(agents.map(({ names: [name] }) => name).sort());
  const rows = agents.flatMap(({ names: [name = ''], permissions, askingVariable: set }) => {
    const source = seen.get(name) ?? '';
    if (set) return [[name, `the variable \`${set.name}\``, `\`${set.value}\``, 'as configured', source]];
    if (permissions?.length === 0) return [[name, '–', 'none: it never asks', 'all', source]];
    return (permissions ?? []).map(({ settingId, asking, notAsking }) => [
      name,
      `\`${settingId}\``,
      values(asking),
      values(notAsking),
      source,
    ]);
  });
  const head = ['agent', 'setting', 'values that ask', 'values that do not', 'seen in'];
  expectGenerated('docs/permissions.md', 'asking', table(head, rows));
});

test('the table of methods is up to date', () => {
  const versions = ['1', '2 with markers', '2'];
  const names = [...new Set(dialects.flatMap(({ agentMethods }) => Object.keys(agentMethods)))].sort();
  const methodsByGate = new Map<string, string[]>();
  for (const name of names) {
    const having = versions.filter((_, index) => dialects[index]?.agentMethods[name]);
    const gates = new Set(
      dialects.flatMap(({ agentMethods: { [name]: method } }) => method ?? []).map(gateOf),
    );
    expect([name, gates.size]).toEqual([name, 1]);
    const where = having.length === versions.length ? '' : ` (version ${having.join(' and ')})`;
    for (const gate of gates)
      methodsByGate.set(gate, [...(methodsByGate.get(gate) ?? []), `\`${name}\`${where}`]);
  }
  const rows = [...methodsByGate].sort().map(([gate, methods]) => [gate, methods.join(', ')]);
  expectGenerated('docs/capabilities.md', 'methods', table(['feature', 'methods that need it'], rows));
});

const gateOf = ({ requires }: AgentMethod) => (requires ? `\`${requires}\`` : 'none');

test('the table of differences between versions is up to date', () => {
  const rows = losses.map(({ where, v1, v2 }) => [where, v1, v2]);
  expectGenerated(
    'docs/versions.md',
    'losses',
    table(['in the conversation', 'version 1', 'version 2'], rows),
  );
});

test('the page on testing has every keyword of the demo agent', () => {
  const rows = keywords.map(({ words, effect }) => [
    words.map((word) => `\`${word}\``).join(', '),
    `${effect.charAt(0).toUpperCase()}${effect.slice(1)}.`,
  ]);
  expectGenerated('docs/testing.md', 'keywords', table(['word', 'answer'], rows));
});

test('the table of the variables that programs do not inherit has each of them, and what changes', () => {
  const codeOf = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const removed = removedVariables.map(({ names, except, onlyWith }) => [
    codeOf(names),
    `removed${except ? `, except ${codeOf(except)}` : ''}${onlyWith ? `, if there is \`${onlyWith}\`` : ''}`,
  ]);
  const saved = savedVariables.map(({ saved: name, original }) => [
    codeOf([name]),
    `removed; \`${original}\` gets its value`,
  ]);
  const rows = rowsBelow('docs/starting-agents.md', 'variable', 'change', 'reason');
  expect(rows.filter(([what]) => what !== 'lists of paths').map((row) => row.slice(0, 2))).toEqual([
    ...removed,
    ...saved,
  ]);
  for (const row of rows) expect(row[2]).toMatch(/\. \[Source\]\(https:\/\/\S+\)$/);
});

/** A module without types: reasons by file and title. */
const { skipped }: { skipped: Readonly<Record<string, Readonly<Record<string, string>>>> } = await import(
  pathToFileURL(join(root, 'test/windows/skipped.mjs')).href
);

test('the table of tests that Wine cannot run is up to date', () => {
  const rows = Object.entries(skipped).flatMap(([file, tests]) =>
    Object.entries(tests).map(([title, reason]) => [
      `\`${file}\``,
      title.replace(/^\[.*?\] /, ''),
      `${reason}.`,
    ]),
  );
  expectGenerated('docs/maintaining.md', 'wine', table(['file', 'test', 'reason'], rows));
});

test('the page of the panel has each property of its element', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const [defaults = ''] = read('src/ui/panel-element/style/theme.css').split('@media');
  const declared = [...defaults.matchAll(/^ {2}(--acp-[a-z-]+):/gm)].map(([, name]) => name);
  const documented = [...read('docs/panel.md').matchAll(/`(--acp-[a-z-]+)`/g)].map(([, name]) => name);
  expect(declared.length).toBeGreaterThan(40);
  expect(documented.sort()).toEqual(declared.sort());
});

const decisionsFolder = resolve(import.meta.dirname, '../../../docs/decisions');
const decisions = readdirSync(decisionsFolder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort();

test('each decision has its number, its title and its sections, and is listed', () => {
  expect(decisions.length).toBeGreaterThan(0);
  const lines = decisions.map((name, index) => {
    const source = readFileSync(join(decisionsFolder, name), 'utf8');
    expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    expect(source).toContain('\n## Context\n');
    expect(source).toContain('\n## Decision\n');
    const [, title = ''] = new RegExp(`^# ${index + 1}\\. (\\S.*)$`, 'm').exec(source) ?? [];
    expect(title, name).not.toBe('');
    return `${index + 1}. [${title}](${name})`;
  });
  expectGenerated('docs/decisions/README.md', 'records', lines.join('\n'));
});

test('the page on contributing has every suite', () => {
  const rows = Object.entries(suites).map(([name, { does }]) => [`\`${name}\``, does]);
  expectGenerated('docs/contributing.md', 'suites', table(['suite', 'effect'], rows));
});

test('the record about version 1.0 says what is promised of each entry', () => {
  const record = readFileSync(join(root, 'docs/decisions/0023-public-api-of-1-0.md'), 'utf8');
  const rows = [...record.matchAll(/^\| `(acp-client-sdk|\/[\w/.-]+)` \|/gm)].map(([, entry]) => entry);
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = Object.keys(exports).map((entry) => (entry === '.' ? 'acp-client-sdk' : entry.slice(1)));
  expect(rows.sort()).toEqual(named.sort());
});

const errorsPage = 'docs/errors.md';
const sourceOf = (file: string) => readFileSync(join(root, 'src/core/base', file), 'utf8');

/** The texts that a type is one of, from its declaration. */
function textsOf(type: string, source: string): readonly string[] {
  const [, union = ''] = new RegExp(`^export type ${type} =\\n([^;]*);`, 'm').exec(source) ?? [];
  return [...union.matchAll(/^ {2}\| '(.*)'/gm)].map(([, text = '']) => text);
}

/** Each code with the class that has it. */
function classesByCode(source: string): readonly (readonly [code: string, name: string])[] {
  return [...source.matchAll(/readonly code(?:: AcpErrorCode)? = '([\w.]+)'/g)].map(
    ({ index, 1: code = '' }) => {
      const before = [...source.slice(0, index).matchAll(/class (\w+)/g)];
      return [code, before.at(-1)?.[1] ?? ''];
    },
  );
}

test('the table of codes has each error code with its class', () => {
  const source = sourceOf('errors.ts');
  const rows = rowsBelow(errorsPage, 'code', 'class', 'who must act');
  const shown = rows.map(([code, name]) => [codeIn(code), codeIn(name)]);
  expect(shown).toEqual(classesByCode(source));
  expect(shown.map(([code]) => code)).toEqual(textsOf('AcpErrorCode', source));
  for (const [, name = ''] of shown) expect(errors).toHaveProperty(name);
  expect(rows.filter((row) => row.includes(''))).toEqual([]);
});

test('the table of diagnostics has each rule', () => {
  const rules = textsOf('DiagnosticRule', sourceOf('diagnostic.ts'));
  const rows = rowsBelow(errorsPage, 'rule', 'what happened', 'what to do');
  expect(rules.length).toBeGreaterThan(30);
  expect(rows.map(([rule]) => codeIn(rule)).sort()).toEqual(rules.toSorted());
  expect(rows.filter((row) => row.includes(''))).toEqual([]);
});

const page = 'docs/reliability.md';
const count = (value: number) => value.toLocaleString('en-US');
const mebibytes = (value: number) => `${value / 2 ** 20} MiB`;
const seconds = (ms: number) => `${ms / 1000} seconds`;

/** The numbers of a limit, in the order of the page, by the tag of its test. */
const limits: Readonly<Record<string, readonly string[]>> = {
  'limit-line': [mebibytes(defaultMaxMessageBytes)],
  'limit-remote-message': [mebibytes(defaultMaxMessageBytes)],
  'limit-retries': [count(maxPostponements), seconds(maxPostponementMs)],
  'limit-cookies': [maxCookies, maxCookieLength, maxOrigins].map(count),
  'limit-nesting': [count(maxDepth)],
  'limit-parts': [count(maxParts)],
  'limit-requests': [count(maxOpenRequests)],
  'limit-notifications': [count(maxNotificationHandlers)],
  'limit-unconfirmed': [mebibytes(maxUnconfirmedBytes)],
  'limit-abandoned': [count(maxAbandonedLoads)],
  'limit-subagents': [count(maxSubagents)],
  'limit-turn-events': [maxKeptChanges, maxKeptCharacters].map(count),
  'limit-diagnostics': [count(maxDiagnosticsPerSecond)],
  'limit-plans': [count(maxPlans)],
  'limit-shown-output': [mebibytes(maxTerminalBytes)],
  'limit-client-output': [mebibytes(maxClientOutputBytes)],
  'limit-terminal': [terminalDefaults.outputByteLimit, terminalDefaults.maxOutputByteLimit].map(mebibytes),
  'limit-output': [mebibytes(terminalDefaults.totalOutputByteLimit)],
  'limit-terminals': [count(terminalDefaults.maxTerminals)],
  'limit-scan': [mebibytes(defaultMaxScanBytes)],
  'limit-reads': [count(maxConcurrentReads)],
  'limit-registry': [mebibytes(registryDefaults.maxBytes), count(maxEntries)],
  // test/process/node/spawn.test.ts has the number.
  'limit-stderr': ['8 KiB'],
  'limit-secrets': [maxKnownTexts, maxKnownCharacters].map(count),
  'limit-tools': [count(maxTools)],
  'limit-tool-calls': [count(maxCalls)],
  'limit-tool-messages': [mebibytes(maxMessageBytes)],
  'limit-tool-results': [count(maxResultLength)],
  'limit-tool-connections': [maxConnections, maxWaitingConnections].map(count),
  'limit-tool-sessions': [count(maxMcpSessions)],
  'limit-tool-programs': [maxPrograms, maxPrograms].map(count),
  'limit-tool-requests': [count(maxProgramRequests)],
  'limit-tool-token': [`${count(tokenLimitMs)} ms`],
  'limit-unread': [mebibytes(maxUnreadAnswerBytes)],
  'limit-unread-calls': [mebibytes(maxUnreadBytes)],
  'limit-messages': [count(maxUnreadMessages)],
  'limit-unread-results': [mebibytes(maxUnreadResultBytes)],
  'limit-unread-program': [maxUnreadProgramBytes, maxUnreadResultBytes].map(mebibytes),
  'limit-tool-readers': [seconds(slowReaderLimitMs)],
  'limit-unread-timeline': [count(sliceCharacters), seconds(slowPageLimitMs)],
  'limit-unread-page': [mebibytes(maxUnreadPageBytes)],
};

/** The numbers in a text, with their units. */
const numbersIn = (text = '') => text.match(/\d[\d,]*(?: (?:[KM]iB|ms|seconds))?/g) ?? [];
const sizesIn = (text = '') => text.match(/\d+ MiB/g) ?? [];

describe('the tables of limits', () => {
  const rows = [
    ...rowsBelow(page, 'what', 'limit', 'option').map(([, limit, , beyond, tag]) => ({ limit, beyond, tag })),
    ...rowsBelow(page, 'who reads', 'what waits', 'limit').map(([, , limit, beyond, tag]) => ({
      limit,
      beyond,
      tag,
    })),
  ];

  test('have each limit once', () => {
    expect(rows.flatMap(({ tag }) => codeIn(tag) ?? []).sort()).toEqual(Object.keys(limits).sort());
  });

  test.each(rows)('have the numbers of the code: $limit, $tag', ({ limit, beyond, tag }) => {
    const found = [...numbersIn(limit), ...sizesIn(beyond)];
    expect(found).toEqual(limits[codeIn(tag) ?? ''] ?? []);
  });
});

test('the table of time limits is up to date', () => {
  const names = new Map<number, string[]>();
  // Every dialect has every name, even without a call.
  for (const name of Object.keys(v1.calls) as CallName[]) {
    const ms = timeoutMsOf(name);
    if (ms !== undefined) names.set(ms, [...(names.get(ms) ?? []), `\`${name}\``]);
  }
  const rows = [...names]
    .sort(([a], [b]) => b - a)
    .map(([ms, calls]) => [`${count(ms)} ms`, calls.sort().join(', ')]);
  expectGenerated(page, 'timeouts', table(['limit', 'calls'], rows));
});

/** The fields of each event besides `type`, as the page has them. */
const fields = Object.fromEntries(
  rowsBelow('docs/command-line.md', '`type`', 'happens', 'other fields').map(([type, , shapes = '']) => [
    codeIn(type) ?? '',
    shapes.split('; ').map((shape) => /^`(\w+)`: ./.exec(shape)?.[1] ?? shape),
  ]),
);

test('the table of the lines of --format jsonl has each event with its fields', () => {
  const source = readFileSync(join(root, 'src/core/model/event.ts'), 'utf8');
  const namesIn = (body: string) => [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name = '']) => name);
  const declared = [
    ...source.matchAll(/^(?:export )?interface (\w+)(?:<.*?>)?( extends \w+)? \{\n([\s\S]*?)^\}$/gm),
  ];
  const ofMessages = namesIn(declared.find(([, name]) => name === 'MessageReference')?.[3] ?? '');
  const events = declared.flatMap(([, of, extending, body = '']) => {
    // One with a parameter is named with each type.
    const [, own = ''] = /^ {2}readonly type: (.*);$/m.exec(body) ?? [];
    const types = own + (source.match(new RegExp(`\\b${of}<'\\w+'>`, 'g')) ?? []);
    const names = [...(extending ? ofMessages : []), ...namesIn(body)].filter((name) => name !== 'type');
    return [...types.matchAll(/'(\w+)'/g)].map(([, type]) => [type, names.sort()]);
  });
  expect(events.length).toBeGreaterThan(20);
  const shown = Object.entries(fields).map(([type, names]) => [type, names.toSorted()]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(events));
});

test.each(['v1', 'v2-markers', 'v2-baseline'])(
  '--format jsonl prints lines as the table has them, with an agent of %s',
  async (dialect) => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const args = ['prompt', 'edit, run, plan and image', '--permit', 'allow', '--format', 'jsonl'];
    const { code, stdout } = await runHere([...args, ...agent]);
    expect(code).toBe(0);
    const lines: readonly ConversationEvent[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = new Set(lines.map(({ type }) => type));
    for (const type of ['text', 'thought', 'content', 'toolCall', 'permission', 'plan', 'fields'] as const)
      expect(types).toContain(type);
    for (const { type, ...rest } of lines)
      expect(Object.keys(rest).sort(), type).toEqual(fields[type]?.toSorted());
  },
);
