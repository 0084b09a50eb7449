import { isJsonObject } from '../../base/json.ts';
import type { SessionRegistry } from '../session/registry.ts';
import { handleUnlessWithdrawn, notOffered, type RequestContext, type RequestService } from './context.ts';
import type { ClientHandlers } from './handlers.ts';

/** The handler of an extension method. Inherited properties do not count, whatever name the agent calls. */
export function extensionHandler({ extensions }: ClientHandlers, method: string) {
  if (!extensions || !Object.hasOwn(extensions, method)) return undefined;
  return extensions[method as `_${string}`];
}

/** Methods outside the protocol. */
export const extension: RequestService = {
  isOffered: () => true,
  handler: 'extensions',
  needsSession: false,
  async serve(context: RequestContext) {
    const { method, params, signal, handlers, registered, report } = context;
    const handler = extensionHandler(handlers, method);
    if (!handler) {
      const message = `The agent called ${method}, for which there is no handler. It was answered with error -32601.`;
      report({ rule: 'rpc.unknown_request', severity: 'info', message });
      throw notOffered(method);
    }
    await Promise.resolve();
    return handleUnlessWithdrawn(context, async () =>
      handler(params, { session: registered?.session, signal }),
    );
  },
};

/** Runs the handler of an extension notification, if there is one. */
export function notifyExtension(
  handlers: ClientHandlers,
  registry: SessionRegistry,
  method: string,
  params: unknown,
): (() => unknown) | undefined {
  const handler = extensionHandler(handlers, method);
  if (!handler) return undefined;
  const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
  return () => {
    const session = typeof sessionId === 'string' ? registry.find(sessionId)?.session : undefined;
    return handler(params, { session, signal: new AbortController().signal });
  };
}
