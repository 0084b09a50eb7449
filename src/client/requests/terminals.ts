import { type DiagnosticListener, errorMessage } from '../../diagnostic.ts';
import type { RegisteredSession } from '../session/registered-session.ts';
import type { Session } from '../session/session.ts';
import { notOffered, type RequestContext, type RequestService, runHandler } from './context.ts';
import { type HandlerContext, handlerContext, type TerminalHandlers } from './handlers.ts';

interface CreateParams {
  readonly command: string;
  readonly args?: string[] | null;
  readonly env?: { name: string; value: string }[] | null;
  readonly cwd?: string | null;
  readonly outputByteLimit?: number | null;
}

/**
 * The services of `terminal/*`, and the terminals that the agent has open.
 *
 * @see https://agentclientprotocol.com/protocol/terminals
 */
export class TerminalServices {
  readonly #open = new Map<string, Session>();

  readonly services: Readonly<Record<string, RequestService>> = {
    'terminal/create': service<CreateParams>((terminals, params, context, session) =>
      this.#create(terminals, params, context, session),
    ),
    'terminal/output': service<{ terminalId: string }>((terminals, { terminalId }, context) =>
      terminals.output({ terminalId }, context),
    ),
    'terminal/wait_for_exit': service<{ terminalId: string }>((terminals, { terminalId }, context) =>
      terminals.waitForExit({ terminalId }, context),
    ),
    'terminal/kill': service<{ terminalId: string }>(async (terminals, { terminalId }, context) => {
      await terminals.kill({ terminalId }, context);
      return {};
    }),
    'terminal/release': service<{ terminalId: string }>(async (terminals, { terminalId }, context) => {
      await terminals.release({ terminalId }, context);
      this.#open.delete(terminalId);
      return {};
    }),
  };

  async #create(
    terminals: TerminalHandlers,
    { command, args, env, cwd, outputByteLimit }: CreateParams,
    context: HandlerContext,
    session: Session,
  ): Promise<{ readonly terminalId: string }> {
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
    this.#open.set(terminalId, session);
    // The agent does not learn its id, or could not use it any more: nothing else would release it.
    if (context.signal.aborted || session.isClosed) {
      this.#open.delete(terminalId);
      await terminals.release({ terminalId }, { session, signal: new AbortController().signal });
    }
    return created;
  }

  /** Releases the terminals of one session, or all: the agent does not use them any more. */
  async releaseAll(terminals: TerminalHandlers, report: DiagnosticListener, only?: Session): Promise<void> {
    const open = [...this.#open].filter(([, session]) => only === undefined || session === only);
    const { signal } = new AbortController();
    await Promise.all(
      open.map(async ([terminalId, session]) => {
        this.#open.delete(terminalId);
        try {
          await terminals.release({ terminalId }, { session, signal });
        } catch (error) {
          const message = `The terminal ${terminalId} could not be released: ${errorMessage(error)}.`;
          report({ rule: 'handler.failed', severity: 'error', message });
        }
      }),
    );
  }
}

function service<P>(
  handle: (terminals: TerminalHandlers, params: P, context: HandlerContext, session: Session) => unknown,
): RequestService {
  return {
    isOffered: ({ terminals }) => terminals !== undefined,
    needsSession: true,
    serve: (context: RequestContext) =>
      runHandler<P>(context, (params) => {
        const { terminals } = context.handlers;
        if (!terminals) throw notOffered(context.method);
        return handle(terminals, params, handlerContext(context), sessionOf(context.registered));
      }),
  };
}

function sessionOf(registered: RegisteredSession | undefined): Session {
  if (!registered) throw new TypeError('unreachable: the service needs a session');
  return registered.session;
}
