import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnostic } from '../../core/base/diagnostic.ts';
import type { CallOptions } from '../../core/client/calls/call-options.ts';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { type SpawnAgentOptions, startAgent } from '../../node/process/spawn.ts';
import { connect } from '../connect.ts';

/** A part of a probe. They are in this order; not every probe has each of them. */
export type ProbeStepName =
  /** The program is looked up. */
  | 'search'
  /** The program is started, and answers `initialize`. */
  | 'initialize'
  /** The agent says whether the user is logged in. */
  | 'loginStatus'
  /** A session is opened, and deleted or closed again. */
  | 'session'
  /** The agent and everything that it started have ended. */
  | 'end'
  /** The program is started again, answers `initialize` of an older version, and ends. */
  | 'olderVersion';

/** A step that was carried out, and how long it took. */
export interface ProbeStep {
  readonly name: ProbeStepName;
  readonly durationMs: number;
}

/** Measures the steps of a probe, and shares its time among them. */
export function probeClock(stepTimeoutMs: number, timeoutMs: number) {
  const steps: ProbeStep[] = [];
  const endsAt = performance.now() + timeoutMs;
  /** How many milliseconds are left in all. */
  const leftMs = () => Math.max(0, endsAt - performance.now());
  return {
    steps,
    leftMs,
    /** How many milliseconds a step may take that begins now, at least 1. */
    stepMs: () => Math.max(1, Math.ceil(Math.min(stepTimeoutMs, leftMs()))),
    /** Carries out a step, and notes how long it took, also if it fails. */
    async step<T>(name: ProbeStepName, carryOut: () => Promise<T>): Promise<T> {
      const startedAt = performance.now();
      try {
        return await carryOut();
      } finally {
        steps.push({ name, durationMs: Math.round(performance.now() - startedAt) });
      }
    },
  };
}

/** One start of an agent. */
export type Start = Started | FailedStart;

/** An agent that answered `initialize`. */
export interface Started {
  readonly connection: ClientConnection;
  /** Ends the agent and everything that it started, daemons included. Never rejects. */
  end(): Promise<void>;
}

/** An agent that did not. It has ended. */
export interface FailedStart {
  readonly connection: undefined;
  /** Why there is no connection. */
  readonly error: unknown;
  /** Whether the program ran. */
  readonly ran: boolean;
  /** The end of what it wrote to stderr. */
  readonly stderrTail: string;
  /** The beginning of the first line on stdout that is not a message. */
  readonly noise: string | undefined;
}

/**
 * Starts an agent and connects to it. Rejects only if the signal is aborted. If there is no connection, everything that
 * was started has ended.
 */
export async function start(command: SpawnAgentOptions, options: ConnectOptions): Promise<Start> {
  const agent = startAgent(command, 'end');
  let noise: string | undefined;
  try {
    const connection = await connect(agent, {
      ...options,
      onDiagnostic: ({ rule, received }: Diagnostic) => {
        if (rule === 'transport.noise') noise ??= received ?? '';
      },
    });
    const end = async () => {
      await connection.close();
      // The connection is also closed when the program has exited, before its children have.
      await agent.close();
    };
    return { connection, end };
  } catch (error) {
    await agent.close();
    options.signal?.throwIfAborted();
    const ran = agent.pid !== undefined;
    return { connection: undefined, error, ran, stderrTail: agent.exit?.stderrTail ?? '', noise };
  }
}

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
