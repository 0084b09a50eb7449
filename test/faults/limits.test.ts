import { test } from 'vitest';
import { timeoutMsOf } from '../../src/client/calls.ts';
import { maxDiagnosticsPerSecond } from '../../src/client/report.ts';
import { maxEarlyUpdates } from '../../src/client/sessions.ts';
import { maxTerminalBytes } from '../../src/conversation/output-tail.ts';
import type { CallName } from '../../src/protocol/calls.ts';
import { v1 } from '../../src/protocol/v1/index.ts';
import { maxOpenRequests, maxUnreadMessages } from '../../src/rpc/peer.ts';
import { defaultMaxLineBytes } from '../../src/transport/ndjson.ts';
import { maxDepth } from '../../src/transport/parse-message.ts';
import { expectGenerated, table } from '../docs/generated.ts';

const count = (value: number) => value.toLocaleString('en-US');
const mebibytes = (value: number) => `${value / 2 ** 20} MiB`;

test('the page has the limits that the sources have', () => {
  const rows = [
    [
      'a line',
      mebibytes(defaultMaxLineBytes),
      '`maxLineBytes`',
      'The connection ends with `MessageTooLargeError`.',
    ],
    ['the nesting of a message', `${maxDepth} levels`, '', 'The message is dropped; `transport.noise`.'],
    [
      'requests of the agent’s that are open',
      count(maxOpenRequests),
      '',
      'One more is refused with -32603; `rpc.too_many_requests`.',
    ],
    [
      'messages that the agent leaves unread while it asks',
      count(maxUnreadMessages),
      '',
      'The connection ends with `ConnectionClosedError`.',
    ],
    [
      'updates kept for sessions that are being opened',
      count(maxEarlyUpdates),
      '',
      'One more is dropped; `protocol.unknown_session`.',
    ],
    ['updates of sessions that are not open', 'none is kept', '', '`protocol.unknown_session`.'],
    [
      'diagnostics of one rule in a second',
      count(maxDiagnosticsPerSecond),
      '',
      'The rest is counted, and the count is told.',
    ],
    [
      'output of a terminal of the agent’s',
      mebibytes(maxTerminalBytes),
      '',
      'The last bytes stay; `droppedBytes` counts the others.',
    ],
    [
      'output of a terminal of ours',
      '1 MiB, 64 MiB at the most',
      '`outputByteLimit`, `maxOutputByteLimit`',
      'The last bytes stay; `truncated` says so.',
    ],
    ['stderr kept for errors', '8 KiB', '`stderrTailBytes`', 'The last bytes stay; `onStderr` gets all.'],
    ['entries of a transcript', 'none', '', 'See below.'],
  ];
  expectGenerated(
    'docs/reliability.md',
    'limits',
    table(['what', 'limit', 'option', 'what happens beyond it'], rows),
  );
});

test('the page has the time limits that the sources have', () => {
  const names = new Map<number, string[]>();
  // Every dialect has every name, be it without a call.
  for (const name of Object.keys(v1.calls) as CallName[]) {
    const ms = timeoutMsOf(name);
    if (ms !== undefined) names.set(ms, [...(names.get(ms) ?? []), `\`${name}\``]);
  }
  const rows = [...names]
    .sort(([a], [b]) => b - a)
    .map(([ms, calls]) => [`${count(ms)} ms`, calls.sort().join(', ')]);
  expectGenerated('docs/reliability.md', 'timeouts', table(['limit', 'calls'], rows));
});
