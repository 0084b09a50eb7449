import { type DiagnosticListener, errorMessage } from '../../base/diagnostic.ts';
import { delay } from '../../base/wait.ts';
import type { Session } from '../session/session.ts';
import {
  handlerContext,
  type RequestContext,
  type RequestService,
  runHandler,
  sessionOf,
} from './context.ts';
import type { TerminalHandlers } from './handlers.ts';
import { ShownTerminal } from './shown-terminal.ts';

/** How long the agent has after a cancel to end the commands that it started in the turn, in milliseconds. */
const killAfterMs = 1000;

/** What the library does by itself is not withdrawn. */
const neverAborted = () => new AbortController().signal;

interface CreateParams {
  readonly command: string;
  readonly args?: string[] | null;
  readonly env?: { name: string; value: string }[] | null;
  readonly cwd?: string | null;
  readonly outputByteLimit?: number | null;
}

interface TerminalParams {
  readonly terminalId: string;
}

/**
 * The services of `terminal/*`, and the terminals that the agent has open.
 *
 * @see https://agentclientprotocol.com/protocol/terminals
 */
export function terminalServices(terminals: TerminalHandlers, report: DiagnosticListener) {
  const open = new Map<string, ShownTerminal>();
  const killing = new WeakSet<ShownTerminal>();

  const services: Readonly<Record<string, RequestService>> = {
    'terminal/create': service(create),
    'terminal/output': service<TerminalParams>(async ({ terminalId }, context) => {
      const shown = open.get(terminalId);
      const answer = await terminals.output({ terminalId }, handlerContext(context));
      shown?.read(answer);
      return answer;
    }),
    'terminal/wait_for_exit': service<TerminalParams>(async ({ terminalId }, context) => {
      const shown = open.get(terminalId);
      const answer = await terminals.waitForExit({ terminalId }, handlerContext(context));
      shown?.exited(answer);
      return answer;
    }),
    'terminal/kill': service<TerminalParams>(async ({ terminalId }, context) => {
      await terminals.kill({ terminalId }, handlerContext(context));
      return {};
    }),
    'terminal/release': service<TerminalParams>(async ({ terminalId }, context) => {
      const shown = open.get(terminalId);
      await terminals.release({ terminalId }, handlerContext(context));
      shown?.released();
      open.delete(terminalId);
      return {};
    }),
  };

  async function create(params: CreateParams, context: RequestContext) {
    const { command, args, env, cwd, outputByteLimit } = params;
    const request = {
      command,
      args: args ?? [],
      env: env ?? [],
      cwd: cwd ?? null,
      outputByteLimit: outputByteLimit ?? null,
    };
    const created = await terminals.create(request, handlerContext(context));
    if (typeof created?.terminalId !== 'string') return created;
    const { terminalId } = created;
    const registered = sessionOf(context);
    const { session } = registered;
    // The agent does not learn its id, or could not use it any more: nothing else would release it.
    if (context.signal.aborted || session.isClosed) {
      await terminals.release({ terminalId }, { session, signal: neverAborted() });
      return created;
    }
    open.get(terminalId)?.replaced();
    const shown = new ShownTerminal(registered, terminalId);
    open.set(terminalId, shown);
    shown.started(request);
    try {
      shown.follow(terminals);
    } catch (error) {
      const message = `The output of the terminal ${terminalId} could not be followed: ${errorMessage(error)}. The conversation shows what the agent reads of it.`;
      report({ rule: 'handler.failed', severity: 'error', message });
    }
    return created;
  }

  /** Releases the terminals of one session, or all: the agent does not use them any more. */
  async function releaseAll(only?: Session): Promise<void> {
    const released = [...open].filter(([, { session }]) => only === undefined || session === only);
    await Promise.all(
      released.map(async ([terminalId, shown]) => {
        open.delete(terminalId);
        try {
          await terminals.release({ terminalId }, { session: shown.session, signal: neverAborted() });
          shown.released();
        } catch (error) {
          const message = `The terminal ${terminalId} could not be released: ${errorMessage(error)}.`;
          report({ rule: 'handler.failed', severity: 'error', message });
        }
      }),
    );
  }

  /** Kills what a cancelled turn has left: the user wants it to stop, and some agents do not stop it. */
  async function killLeft(sessionId: string, turnKey: string): Promise<void> {
    const left = [...open].filter(
      ([, shown]) =>
        shown.session.sessionId === sessionId && shown.turnKey === turnKey && !killing.has(shown),
    );
    if (left.length === 0) return;
    for (const [, shown] of left) killing.add(shown);
    await delay(killAfterMs);
    for (const [terminalId, shown] of left) {
      if (open.get(terminalId) !== shown || shown.hasExited) continue;
      try {
        await terminals.kill({ terminalId }, { session: shown.session, signal: neverAborted() });
        shown.killed();
      } catch (error) {
        const message = `The terminal ${terminalId} of a cancelled turn could not be killed: ${errorMessage(error)}.`;
        report({ rule: 'handler.failed', severity: 'error', message });
      }
    }
  }

  return { services, releaseAll, killLeft };
}

export type TerminalServices = ReturnType<typeof terminalServices>;

function service<P>(handle: (params: P, context: RequestContext) => unknown): RequestService {
  return {
    isOffered: () => true,
    handler: 'terminals',
    needsSession: true,
    serve: (context: RequestContext) => runHandler<P>(context, (params) => handle(params, context)),
  };
}
