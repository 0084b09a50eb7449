import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import { codeOf } from '../../core/base/diagnostic.ts';
import type { WriterProcess } from './format.ts';

/** The writers of this thread that still write. */
const active = new Set<string>();

export const thisProcess: WriterProcess = { host: hostname(), pid: process.pid, thread: threadId };

export function newWriter(): string {
  const writer = randomBytes(16).toString('hex');
  active.add(writer);
  return writer;
}

export function endWriter(writer: string): void {
  active.delete(writer);
}

/**
 * Whether a writer certainly writes no more: its process has ended, or it is of this thread and has ended. A writer of
 * another machine may run.
 */
export function isGone(writer: string, { host, pid, thread }: WriterProcess): boolean {
  if (host !== thisProcess.host) return false;
  // In a container each program may have the same number.
  if (pid === thisProcess.pid) return thread === thisProcess.thread && !active.has(writer);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // A process of another user exists as well.
    return codeOf(error) === 'ESRCH';
  }
}
