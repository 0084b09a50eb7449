import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions } from '../../core/client/calls/call-options.ts';
import type { ClientConnection } from '../../core/client/connection.ts';

/**
 * What became of the session that a probe opens: `deleted`, or `kept` in the agent's history because the agent cannot
 * delete it. `failed`: it was not opened. `skipped`: it was not tried.
 */
export type ProbeSession = 'deleted' | 'kept' | 'failed' | 'skipped';

/** How long an agent may take to delete or close the session, in milliseconds. */
const cleanUpMs = 5000;

type Limits = CallOptions & { readonly timeoutMs: number };

/**
 * Opens a session in an empty directory, and deletes it again, or closes it where the agent cannot delete. Rejects if
 * it does not open.
 */
export async function tryNewSession(connection: ClientConnection, limits: Limits): Promise<ProbeSession> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'acp-probe-')));
  try {
    return await tryIn(directory, connection, limits);
  } finally {
    // What an agent keeps open there cannot be removed on Windows. It is in the directory for temporary files.
    await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

async function tryIn(cwd: string, connection: ClientConnection, limits: Limits): Promise<ProbeSession> {
  const session = await connection.newSession({ cwd }, limits);
  const options = { ...limits, timeoutMs: Math.min(limits.timeoutMs, cleanUpMs) };
  try {
    if (connection.supports('session.delete')) {
      await connection.deleteSession(session.sessionId, options);
      return 'deleted';
    }
    if (connection.supports('session.close')) await session.close(options);
  } catch {
    limits.signal?.throwIfAborted();
  }
  return 'kept';
}
