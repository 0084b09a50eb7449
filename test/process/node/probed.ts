import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { SpawnAgentOptions } from '../../../src/node/process/spawn.ts';
import { programPath, stillRunning } from './processes.ts';

/** The argument of `answering.mjs`. */
export interface Told {
  readonly initialize: JsonObject;
  readonly answers?: Readonly<Record<string, JsonObject | 'none'>>;
  readonly pushed?: readonly object[];
}

export interface Probed {
  readonly command: SpawnAgentOptions;
  /** The methods that the agent received, from all of its starts. */
  received(): readonly string[];
}

/** A folder that is removed when the test is over. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'acp-probe-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A command whose processes must have ended when the test is over. Times to end are short. */
function watched(program: string, argument: string): Probed {
  const folder = folderOfTest();
  const [pids, log] = [join(folder, 'pids'), join(folder, 'log')];
  const linesOf = (file: string) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  onTestFinished(async () => {
    const started = linesOf(pids).map(Number);
    const left = await stillRunning(new Set(started));
    expect({ started: started.length > 0, left }).toEqual({ started: true, left: [] });
  });
  const command = {
    command: process.execPath,
    args: [programPath(program), argument],
    env: { PIDS: pids, LOG: log },
    shutdown: { graceMs: 300, killAfterMs: 300 },
  };
  return { command, received: () => linesOf(log) };
}

/** An agent whose answers are given. */
export const answeringAgent = (told: Told): Probed => watched('answering.mjs', JSON.stringify(told));

/** A program that misbehaves in one way. */
export const hostileProgram = (way: string): SpawnAgentOptions => watched('hostile.mjs', way).command;
