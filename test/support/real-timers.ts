// Simulated time does not wait for what `connect` loads, so that is loaded before.
import '../../src/core/client/calls/login-error.ts';
import '../../src/core/client/restarter.ts';
import '../../src/core/protocol/v1/index.ts';
import '../../src/core/protocol/v2/index.ts';
import '../../src/core/rpc/peer.ts';
// Each worker loads it, so that it ends with its runner.
import './spawn.mjs';

/**
 * Test files share a process. One that leaves simulated timers makes those after it wait without an end, so they fail
 * instead. A spy on a simulated function does that: vitest puts back what the spy replaced, after each file.
 */
if ('clock' in setTimeout) {
  throw new Error('A test file that ran in this process before has left simulated timers.');
}
