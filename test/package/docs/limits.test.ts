import { describe, expect, test } from 'vitest';
import { maxEntries } from '../../../src/agents/registry/content.ts';
import { registryDefaults } from '../../../src/agents/registry/open.ts';
import { maxSecretCharacters, maxSecrets } from '../../../src/core/base/secrets.ts';
import { timeoutMsOf } from '../../../src/core/client/calls/call-options.ts';
import { maxDiagnosticsPerSecond } from '../../../src/core/client/diagnostics.ts';
import { maxNotificationHandlers } from '../../../src/core/client/requests/notification-handlers.ts';
import { maxAbandonedLoads } from '../../../src/core/client/session/abandoned-loads.ts';
import { maxUnconfirmedBytes } from '../../../src/core/client/session/registry.ts';
import { maxKeptChanges, maxKeptCharacters } from '../../../src/core/client/session/turn-events.ts';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { maxPlans } from '../../../src/core/conversation/plans.ts';
import { maxSubagents } from '../../../src/core/conversation/subagents.ts';
import { maxClientOutputBytes } from '../../../src/core/conversation/terminal-list.ts';
import type { CallName } from '../../../src/core/protocol/calls.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import {
  maxOpenRequests,
  maxUnreadAnswerBytes,
  maxUnreadBytes,
  maxUnreadMessages,
} from '../../../src/core/rpc/peer.ts';
import { maxCookieLength, maxCookies, maxOrigins } from '../../../src/core/transport/http/cookies.ts';
import { maxPostponementMs, maxPostponements } from '../../../src/core/transport/http/http-client.ts';
import { defaultMaxMessageBytes } from '../../../src/core/transport/message-limit.ts';
import { maxDepth, maxParts } from '../../../src/core/transport/parse-message.ts';
import { defaultMaxScanBytes, maxConcurrentReads } from '../../../src/node/files/file-system.ts';
import { terminalDefaults } from '../../../src/node/terminals/terminals.ts';
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
import { codeIn, expectGenerated, rowsBelow, table } from './generated.ts';

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
  'limit-secrets': [maxSecrets, maxSecretCharacters].map(count),
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
