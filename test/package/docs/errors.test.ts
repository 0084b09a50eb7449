import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { AcpErrorCode } from '../../../src/base/errors.ts';
import * as errors from '../../../src/base/errors.ts';
import { expectGenerated, table } from './generated.ts';

/** What each code means. The compiler asks for a line for each. */
const meanings: Readonly<Record<AcpErrorCode, { who: string; meaning: string; todo: string }>> = {
  'usage.capability': {
    who: 'you',
    meaning: 'The agent did not advertise what the call or its parameters need. Nothing was sent.',
    todo: 'Check `connection.supports(…)` first, and hide unsupported features.',
  },
  'usage.params': {
    who: 'you',
    meaning: 'A parameter or an option is wrong. Nothing was sent.',
    todo: 'Correct the value that the message and `issues` name.',
  },
  'usage.state': {
    who: 'you',
    meaning:
      'The session is not open, you closed the connection, or the agent is being started again. Nothing was sent.',
    todo: 'Open it again, or wait for `connection.ready`.',
  },
  remote: {
    who: 'the agent',
    meaning: 'The agent answered with an error. `rpcCode` and `data` are what it sent.',
    todo: 'Show the message. The connection can still be used.',
  },
  'remote.auth_required': {
    who: 'the user',
    meaning: 'The user must log in first (-32000).',
    todo: 'Log in with one of `connection.authMethods`, or give `connect` an `onAuthRequired`.',
  },
  'remote.not_found': {
    who: 'you',
    meaning: 'The agent does not know the session or resource (-32002).',
    todo: 'List the sessions again. Some agents use another code for this.',
  },
  'remote.method_not_found': {
    who: "the agent's author",
    meaning:
      'The agent does not have the method (-32601). `missing` says what it advertised; it is empty for extension methods.',
    todo: 'Do not make the call with this agent, and report it if the agent advertised the method.',
  },
  'remote.cancelled': {
    who: 'you',
    meaning: 'The agent cancelled the request (-32800).',
    todo: 'Call again if the result is still needed.',
  },
  'protocol.message': {
    who: "the agent's author",
    meaning: 'An answer does not match the protocol.',
    todo: 'Report it with a trace.',
  },
  'protocol.version': {
    who: 'the user',
    meaning: 'The agent and the client do not have a common protocol version. The connection is closed.',
    todo: 'Update the agent or the client.',
  },
  'protocol.message_too_large': {
    who: 'you',
    meaning: 'A line is longer than `limitBytes`. The channel to the agent was closed.',
    todo: 'Raise `maxLineBytes` if you expect such messages.',
  },
  'connection.closed': {
    who: 'the user',
    meaning:
      'The channel ended before the call or before its answer. `exit` says how the program ended, and `promptAccepted` whether the agent had accepted a prompt.',
    todo: 'Start the agent again, or let `reconnect` do it.',
  },
  timeout: {
    who: 'you',
    meaning: 'The agent did not answer within `timeoutMs`. The request was cancelled.',
    todo: 'Allow more time, or give up.',
  },
  'agent.spawn': {
    who: 'the user',
    meaning: 'The program could not be started. `errno` is the error code of the system.',
    todo: 'Correct the command or the directory that the message names, or install the program.',
  },
  'agent.exit': {
    who: 'the user',
    meaning: 'The program ended unexpectedly. The error has `exitCode`, `signal` and `stderrTail`.',
    todo: 'Read the last lines of stderr in the message.',
  },
};

const source = readFileSync(resolve(import.meta.dirname, '../../../src/base/errors.ts'), 'utf8');

/** The class that carries each code, read from the sources. */
function classOf(code: string): string {
  const at = source.search(new RegExp(`readonly code(: AcpErrorCode)? = '${code.replace('.', '\\.')}'`));
  return [...source.slice(0, at).matchAll(/class (\w+)/g)].at(-1)?.[1] ?? '';
}

test('each error code has a class and a row', () => {
  const rows = Object.entries(meanings).map(([code, { who, meaning, todo }]) => {
    const name = classOf(code);
    expect(errors).toHaveProperty(name);
    return [`\`${code}\``, `\`${name}\``, who, meaning, todo];
  });
  expect(new Set(rows.map(([, name]) => name)).size).toBe(rows.length);
  expectGenerated(
    'docs/errors.md',
    'codes',
    table(['code', 'class', 'who must act', 'what it means', 'what to do'], rows),
  );
});
