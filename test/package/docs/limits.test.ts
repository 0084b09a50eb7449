import { test } from 'vitest';
import { maxSecretCharacters, maxSecrets } from '../../../src/base/secrets.ts';
import { timeoutMsOf } from '../../../src/client/calls/call-options.ts';
import { maxDiagnosticsPerSecond } from '../../../src/client/diagnostics.ts';
import { maxNotificationHandlers } from '../../../src/client/requests/notification-handlers.ts';
import { maxAbandonedLoads } from '../../../src/client/session/abandoned-loads.ts';
import { maxUnconfirmedBytes } from '../../../src/client/session/registry.ts';
import { maxKeptChanges, maxKeptCharacters } from '../../../src/client/session/turn-events.ts';
import { maxTerminalBytes } from '../../../src/conversation/output-tail.ts';
import { maxPlans } from '../../../src/conversation/plans.ts';
import { maxSubagents } from '../../../src/conversation/subagents.ts';
import { maxClientOutputBytes } from '../../../src/conversation/terminal-list.ts';
import { defaultMaxScanBytes, maxConcurrentReads } from '../../../src/node/file-system.ts';
import { maxEntries } from '../../../src/node/registry/content.ts';
import { registryDefaults } from '../../../src/node/registry/open.ts';
import { terminalDefaults } from '../../../src/node/terminals.ts';
import { maxUnreadBytes as maxUnreadPageBytes } from '../../../src/programs/inspector/server/channels.ts';
import { sliceCharacters, slowPageLimitMs } from '../../../src/programs/inspector/server/feed.ts';
import type { CallName } from '../../../src/protocol/calls.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import {
  maxOpenRequests,
  maxUnreadAnswerBytes,
  maxUnreadBytes,
  maxUnreadMessages,
} from '../../../src/rpc/peer.ts';
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
import { maxCookieLength, maxCookies, maxOrigins } from '../../../src/transport/http/cookies.ts';
import { maxPostponementMs, maxPostponements } from '../../../src/transport/http/http-client.ts';
import { defaultMaxMessageBytes } from '../../../src/transport/message-limit.ts';
import { maxDepth, maxParts } from '../../../src/transport/parse-message.ts';
import { expectGenerated, table } from './generated.ts';

const count = (value: number) => value.toLocaleString('en-US');
const mebibytes = (value: number) => `${value / 2 ** 20} MiB`;

test('the table of limits is up to date', () => {
  const rows = [
    [
      'a line',
      mebibytes(defaultMaxMessageBytes),
      '`maxLineBytes`',
      'The connection ends with `MessageTooLargeError`.',
      '`limit-line`',
    ],
    [
      'a message of an agent behind a server',
      mebibytes(defaultMaxMessageBytes),
      '`maxMessageBytes`',
      'The connection ends with `MessageTooLargeError`.',
      '`limit-remote-message`',
    ],
    [
      'how often a request is sent again that a server postpones with `Retry-After`',
      `${maxPostponements} times, after at most ${maxPostponementMs / 1000} seconds each`,
      '',
      'The call rejects with an `HttpError`.',
      '`limit-retries`',
    ],
    [
      'cookies of agents behind servers',
      `${maxCookies} of a server, ${count(maxCookieLength)} characters each, of ${maxOrigins} servers`,
      '`cookies`',
      'The oldest is forgotten. A longer one is ignored.',
      '`limit-cookies`',
    ],
    [
      'the nesting of a message',
      `${maxDepth} levels`,
      '',
      'The message is dropped; `transport.noise`.',
      '`limit-nesting`',
    ],
    [
      'objects, arrays and texts of a message, keys included',
      count(maxParts),
      '',
      'The message is dropped; `transport.noise`.',
      '`limit-parts`',
    ],
    [
      'open requests from the agent',
      count(maxOpenRequests),
      '',
      'One more is refused with -32603; `rpc.too_many_requests`.',
      '`limit-requests`',
    ],
    [
      'handlers of notifications that run',
      count(maxNotificationHandlers),
      '',
      'One more notification is dropped; `rpc.too_many_notifications`.',
      '`limit-notifications`',
    ],
    [
      'updates of sessions whose opening call is not answered yet',
      mebibytes(maxUnconfirmedBytes),
      '',
      'One more is dropped; `protocol.unknown_session`.',
      '`limit-unconfirmed`',
    ],
    [
      'loads that were abandoned and are not answered',
      count(maxAbandonedLoads),
      '',
      'The oldest is forgotten: the rest of its replay is reported as `protocol.unknown_session`, and the next load of its session does not wait for it.',
      '`limit-abandoned`',
    ],
    ['updates of sessions that are not open', 'none', '', 'Each is dropped; `protocol.unknown_session`.', ''],
    [
      'subagents of a session',
      count(maxSubagents),
      '',
      'The updates of one more are dropped; `protocol.unknown_session`.',
      '`limit-subagents`',
    ],
    [
      'what a turn keeps for loops that begin late',
      `${count(maxKeptChanges)} changes, ${count(maxKeptCharacters)} characters`,
      '',
      'A loop that begins later throws a `ConnectionStateError`. The turn and other loops go on.',
      '`limit-turn-events`',
    ],
    [
      'diagnostics of one rule in a second',
      count(maxDiagnosticsPerSecond),
      '',
      'The others are counted, and the count is reported.',
      '`limit-diagnostics`',
    ],
    ['plans of a session', count(maxPlans), '', 'The oldest plan is removed.', '`limit-plans`'],
    [
      'output of a terminal in a conversation',
      mebibytes(maxTerminalBytes),
      '',
      'The last bytes stay; `droppedBytes` counts the others.',
      '`limit-shown-output`',
    ],
    [
      'output of all commands of the client in a conversation, when one more starts',
      mebibytes(maxClientOutputBytes),
      '',
      'The output of commands that have ended is dropped, the oldest first; `droppedBytes` counts it.',
      '`limit-client-output`',
    ],
    [
      'output of a terminal in `nodeTerminals`',
      `${mebibytes(terminalDefaults.outputByteLimit)}, ${mebibytes(terminalDefaults.maxOutputByteLimit)} at most`,
      '`outputByteLimit`, `maxOutputByteLimit`',
      'The last bytes stay; `truncated` is `true`.',
      '`limit-terminal`',
    ],
    [
      'output of all terminals in `nodeTerminals` together',
      mebibytes(terminalDefaults.totalOutputByteLimit),
      '`totalOutputByteLimit`',
      'Output of released terminals is dropped first, then output of the others.',
      '`limit-output`',
    ],
    [
      'commands that the agent runs at once',
      count(terminalDefaults.maxTerminals),
      '`maxTerminals`',
      'One more is refused with -32603.',
      '`limit-terminals`',
    ],
    [
      'bytes of a file that a read searches for lines',
      mebibytes(defaultMaxScanBytes),
      '`maxScanBytes`',
      'The read is refused with -32602.',
      '`limit-scan`',
    ],
    [
      'files that are read at the same time',
      count(maxConcurrentReads),
      '',
      'The others wait.',
      '`limit-reads`',
    ],
    [
      'a registry',
      `${mebibytes(registryDefaults.maxBytes)}, ${count(maxEntries)} entries`,
      '`maxBytes`',
      'The last good copy is used. Without one, `registry` rejects.',
      '`limit-registry`',
    ],
    [
      'stderr kept for errors',
      '8 KiB',
      '`stderrTailBytes`',
      'The last bytes stay; `onStderr` gets all.',
      '`limit-stderr`',
    ],
    [
      'secrets that are found in what the agent sends',
      `${count(maxSecrets)} values, ${count(maxSecretCharacters)} characters`,
      '',
      'The oldest are no longer found.',
      '`limit-secrets`',
    ],
    [
      'tools of a server of the editor',
      count(maxTools),
      '',
      'One more throws an `InvalidParamsError`.',
      '`limit-tools`',
    ],
    [
      'tools of a session that run',
      count(maxCalls),
      '',
      "One more call gets an error for the agent's model. A tool that goes on after its call was cancelled counts.",
      '`limit-tool-calls`',
    ],
    [
      'a message to a server of the editor over HTTP or stdio',
      `${mebibytes(maxMessageBytes)}, and as for a message`,
      '',
      'It is refused, and a line that is too long ends the connection; `tools.refused`.',
      '`limit-tool-messages`',
    ],
    [
      'the result of a tool',
      `${count(maxResultLength)} characters of JSON`,
      '',
      'The agent gets an error; `tools.invalid_result`.',
      '`limit-tool-results`',
    ],
    [
      'connections to a server of the editor over HTTP',
      `${count(maxConnections)} with the token, ${count(maxWaitingConnections)} without`,
      '',
      'One more with the token is refused with 429. For one more without it, the oldest is closed. Both are `tools.refused`.',
      '`limit-tool-connections`',
    ],
    [
      'sessions and subscriptions of MCP of a server over HTTP',
      `${count(maxMcpSessions)} each`,
      '',
      'The oldest session is closed. One more subscription is refused.',
      '`limit-tool-sessions`',
    ],
    [
      'programs that are connected to a server of the editor over stdio',
      `${count(maxPrograms)} with the token, ${count(maxPrograms)} without`,
      '',
      'One more with the token is closed. For one more without it, the oldest is closed. Both are `tools.refused`.',
      '`limit-tool-programs`',
    ],
    [
      'open requests of such a program',
      count(maxProgramRequests),
      '',
      'One more gets an error; `tools.refused`.',
      '`limit-tool-requests`',
    ],
    [
      'the time in which such a program sends its token',
      `${count(tokenLimitMs)} ms`,
      '',
      'The connection is closed; `tools.refused`.',
      '`limit-tool-token`',
    ],
    ['entries of a transcript', 'none', '', 'See below.', ''],
  ];
  expectGenerated(
    'docs/reliability.md',
    'limits',
    table(['what', 'limit', 'option', 'what happens beyond it', 'tag of the test'], rows),
  );
});

test('the table of what waits to be read is up to date', () => {
  const seconds = (ms: number) => `${ms / 1000} seconds`;
  const rows = [
    [
      'the agent',
      'answers to its requests',
      mebibytes(maxUnreadAnswerBytes),
      'The next answer ends the connection with `ConnectionClosedError`.',
      '`limit-unread`',
    ],
    [
      'the agent',
      'all messages: calls, notifications and answers',
      mebibytes(maxUnreadBytes),
      'The next call or notification rejects with a `ConnectionStateError`, and is not sent.',
      '`limit-unread-calls`',
    ],
    [
      'the agent, while it sends requests',
      'all messages',
      `${count(maxUnreadMessages)} messages`,
      'The next request ends the connection with `ConnectionClosedError`.',
      '`limit-messages`',
    ],
    [
      'the agent, with a server of `toolServer`, over each way',
      'results of the tools of a session',
      mebibytes(maxUnreadResultBytes),
      'The next result is dropped, and its call gets an error; `tools.refused`. One result alone may be longer.',
      '`limit-unread-results`',
    ],
    [
      'a program that is connected to a server of the editor over stdio',
      'all messages',
      mebibytes(maxUnreadProgramBytes),
      `Nothing more is read from it. With ${mebibytes(maxUnreadResultBytes)}, results are dropped, also those of \`mcpServer\`.`,
      '`limit-unread-program`',
    ],
    [
      'such a program, or a client of such a server over HTTP',
      'a part of an answer',
      seconds(slowReaderLimitMs),
      'The connection is closed, over stdio after up to twice the time; `tools.refused`.',
      '`limit-tool-readers`',
    ],
    [
      'a page of the inspector',
      'a part of the timeline',
      `${count(sliceCharacters)} characters and one message, ${seconds(slowPageLimitMs)}`,
      'Nothing more is written until it reads. After the time, its stream is closed, and the page can open it again.',
      '`limit-unread-timeline`',
    ],
    [
      'a page of the inspector',
      'messages of the panel',
      mebibytes(maxUnreadPageBytes),
      'Its stream is closed. The page can open it again, and gets everything.',
      '`limit-unread-page`',
    ],
    [
      'a page of a panel',
      'changes of the panel',
      'one change',
      'What changes until the page has drawn it is joined with the next change.',
      '',
    ],
  ];
  expectGenerated(
    'docs/reliability.md',
    'unread',
    table(['who reads', 'what waits', 'limit', 'what happens beyond it', 'tag of the test'], rows),
  );
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
  expectGenerated('docs/reliability.md', 'timeouts', table(['limit', 'calls'], rows));
});
