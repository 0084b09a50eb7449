import { type DiagnosticListener, errorMessage } from '../../base/diagnostic.ts';
import type { RegisteredSession } from '../session/registered-session.ts';
import type { Session } from '../session/session.ts';
import { notOffered, type RequestContext, type RequestService, runHandler } from './context.ts';
import { type HandlerContext, handlerContext, type TerminalHandlers } from './handlers.ts';
import { ShownTerminal } from './shown-terminal.ts';

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

/** A request for the terminals of the editor. */
interface TerminalRequest<P> {
  readonly terminals: TerminalHandlers;
  readonly params: P;
  readonly context: HandlerContext;
  readonly registered: RegisteredSession;
  readonly report: DiagnosticListener;
}

/**
 * The services of `terminal/*`, and the terminals that the agent has open.
 *
 * @see https://agentclientprotocol.com/protocol/terminals
 */
export class TerminalServices {
  readonly #open = new Map<string, ShownTerminal>();

  readonly services: Readonly<Record<string, RequestService>> = {
    'terminal/create': service<CreateParams>((request) => this.#create(request)),
    'terminal/output': service<TerminalParams>(async ({ terminals, params: { terminalId }, context }) => {
      const shown = this.#open.get(terminalId);
      const answer = await terminals.output({ terminalId }, context);
      shown?.read(answer);
      return answer;
    }),
    'terminal/wait_for_exit': service<TerminalParams>(
      async ({ terminals, params: { terminalId }, context }) => {
        const shown = this.#open.get(terminalId);
        const answer = await terminals.waitForExit({ terminalId }, context);
        shown?.exited(answer);
        return answer;
      },
    ),
    'terminal/kill': service<TerminalParams>(async ({ terminals, params: { terminalId }, context }) => {
      await terminals.kill({ terminalId }, context);
      return {};
    }),
    'terminal/release': service<TerminalParams>(async ({ terminals, params: { terminalId }, context }) => {
      const shown = this.#open.get(terminalId);
      await terminals.release({ terminalId }, context);
      shown?.released();
      this.#open.delete(terminalId);
      return {};
    }),
  };

  async #create({
    terminals,
    params,
    context,
    registered,
    report,
  }: TerminalRequest<CreateParams>): Promise<{ readonly terminalId: string }> {
    const { command, args, env, cwd, outputByteLimit } = params;
    const request = {
      command,
      args: args ?? [],
      env: env ?? [],
      cwd: cwd ?? null,
      outputByteLimit: outputByteLimit ?? null,
    };
    const created = await terminals.create(request, context);
    if (typeof created?.terminalId !== 'string') return created;
    const { terminalId } = created;
    const { session } = registered;
    // The agent does not learn its id, or could not use it any more: nothing else would release it.
    if (context.signal.aborted || session.isClosed) {
      await terminals.release({ terminalId }, { session, signal: new AbortController().signal });
      return created;
    }
    this.#open.get(terminalId)?.replaced();
    const shown = new ShownTerminal(registered, terminalId);
    this.#open.set(terminalId, shown);
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
  async releaseAll(terminals: TerminalHandlers, report: DiagnosticListener, only?: Session): Promise<void> {
    const open = [...this.#open].filter(([, { session }]) => only === undefined || session === only);
    const { signal } = new AbortController();
    await Promise.all(
      open.map(async ([terminalId, shown]) => {
        this.#open.delete(terminalId);
        try {
          await terminals.release({ terminalId }, { session: shown.session, signal });
          shown.released();
        } catch (error) {
          const message = `The terminal ${terminalId} could not be released: ${errorMessage(error)}.`;
          report({ rule: 'handler.failed', severity: 'error', message });
        }
      }),
    );
  }
}

function service<P>(handle: (request: TerminalRequest<P>) => unknown): RequestService {
  return {
    isOffered: ({ terminals }) => terminals !== undefined,
    handler: 'terminals',
    needsSession: true,
    serve: (context: RequestContext) =>
      runHandler<P>(context, (params) => {
        const { handlers, method, registered, report } = context;
        const { terminals } = handlers;
        if (!terminals) throw notOffered(method);
        if (!registered) throw new TypeError('unreachable: the service needs a session');
        return handle({ terminals, params, context: handlerContext(context), registered, report });
      }),
  };
}
