import { expect, test } from 'vitest';
import { causeIn } from '../../../../src/node/probe/exit-causes.ts';

/** What programs wrote to stderr before they ended. */
test.each([
  ['npm error code ECONNREFUSED\nnpm error syscall connect', 'program.download_failed'],
  ['npm warn something\nnpm ERR! code E404\nnpm ERR! 404 Not Found', 'program.download_failed'],
  ['npm error code ENOTCACHED\nnpm error request to … failed', 'program.download_failed'],
  ['error: Failed to fetch: `https://pypi.org/simple/agent/`', 'program.download_failed'],
  ['Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite', 'program.needs_newer_node'],
  ['agent requires Node.js >= 22', 'program.needs_newer_node'],
  ['Node.js version v22 or newer is needed', 'program.needs_newer_node'],
  ['bash: ./agent: cannot execute binary file: Exec format error', 'program.wrong_architecture'],
  ['/tmp/agent: 1: \x7fELF\x02\x01: not found', 'program.wrong_architecture'],
  ['npm error code 1\nnpm error path /tmp', undefined],
  ['The model was not found.', undefined],
  ['Node.js v20.19.0', undefined],
  ['', undefined],
])('%j means %s', (stderrTail, code) => {
  expect(causeIn(stderrTail)).toBe(code);
});
