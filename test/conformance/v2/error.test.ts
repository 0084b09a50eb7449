import { expect, test } from 'vitest';
import { everything, refuses } from '../../support/agents.ts';
import { connectFlushable, cwd } from '../../support/open-session.ts';

/** The error of the caller for each code of the page. */
const codes: readonly (readonly [number, string])[] = [
  [-32700, 'remote'],
  [-32600, 'remote'],
  [-32602, 'remote'],
  [-32603, 'remote'],
  [-32800, 'remote.cancelled'],
  [-32000, 'remote.auth_required'],
  [-32002, 'remote.not_found'],
  // An unknown code is a failure like any other.
  [-32099, 'remote'],
  [400, 'remote'],
];

test.each(codes)('v2 error %i is %s, with its data', async (rpcCode, code) => {
  const { connection } = await connectFlushable(everything['v2-baseline'], {
    answers: { 'session/new': refuses(rpcCode, 'No.', { hint: 'x' }) },
  });
  await expect(connection.newSession({ cwd })).rejects.toMatchObject({
    code,
    rpcCode,
    data: { hint: 'x' },
    method: 'session/new',
  });
});
