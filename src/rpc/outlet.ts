import { AbstractMessageWriter, type Message, type MessageWriter, type RequestMessage } from '#jsonrpc';
import { errorMessage } from '../diagnostic.ts';
import { type AcpError, ConnectionClosedError, InvalidParamsError } from '../errors.ts';
import { isRequestId, type RequestId } from './request-id.ts';

interface OutletHooks {
  onMessage(message: Message): void;
  /** A request of ours is not written, for JSON cannot say it. */
  onUnwritable(id: RequestId, error: AcpError): void;
  /** An answer to the agent is not written, for JSON cannot say it. */
  onUnwritableAnswer(error: unknown): void;
  onFailure(error: AcpError): void;
}

/** The writer that vscode-jsonrpc writes to: it shows each message and tells when the channel takes no more. */
export class Outlet extends AbstractMessageWriter {
  readonly #writer: MessageWriter;
  readonly #hooks: OutletHooks;
  #waiting = 0;

  constructor(writer: MessageWriter, hooks: OutletHooks) {
    super();
    this.#writer = writer;
    this.#hooks = hooks;
  }

  /** How many messages the agent has not taken yet. */
  get waiting(): number {
    return this.#waiting;
  }

  async write(message: Message): Promise<void> {
    this.#hooks.onMessage(message);
    this.#waiting++;
    try {
      await this.#writer.write(message);
    } catch (error) {
      const fault = faultOf(message);
      if (fault) this.#refuse(message, fault.error);
      else {
        const why = errorMessage(error);
        const text = `What is written does not reach the agent any more: ${why.replace(/\.?$/, '.')}`;
        this.#hooks.onFailure(new ConnectionClosedError(text, { cause: error }));
      }
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  end(): void {
    this.#writer.end();
  }

  #refuse(message: Message, error: unknown): void {
    const { id, method } = message as Partial<RequestMessage>;
    if (method === undefined) this.#hooks.onUnwritableAnswer(error);
    else if (isRequestId(id)) this.#hooks.onUnwritable(id, unwritable(method, error));
  }
}

/** Why JSON cannot say a message, if it cannot: then what was asked for was wrong, and the channel is fine. */
function faultOf(message: Message): { readonly error: unknown } | undefined {
  try {
    JSON.stringify(message);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** The error for a call that JSON cannot say. */
export function unwritable(method: string, cause: unknown): InvalidParamsError {
  const why = errorMessage(cause);
  return new InvalidParamsError(`${method} could not be written as JSON: ${why}. Nothing was sent.`, {
    method,
    cause,
  });
}
