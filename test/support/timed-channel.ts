import type { JsonObject } from '../../src/core/base/json.ts';
import type { SessionLoss, TransportListener } from '../../src/core/transport/transport.ts';
import { openChannel, type RemoteChannel } from './raw-acp-connection.ts';
import { answerTo } from './raw-acp-server.ts';
import { allHappened, stopClock, type TimedAnswer, TimedServer } from './timed-acp-server.ts';

/** A call of the session `s1`. */
export const call = (id: number, method: string): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { sessionId: 's1' },
});

/** A call without a session. */
export const list = (id: number): JsonObject => ({ jsonrpc: '2.0', id, method: 'session/list', params: {} });

/** The server refuses requests of a kind. */
export const refuse =
  (kind: string, status: number): TimedAnswer =>
  (request) =>
    request.kind === kind ? new Response(null, { status }) : undefined;

/** A response that comes after some time. */
export const later = (response: Response, ms: number): Promise<Response> =>
  new Promise((resolve) => setTimeout(() => resolve(response), ms));

export interface TimedChannel extends RemoteChannel {
  readonly server: TimedServer;
  hasEnded(): boolean;
  /** The texts of all updates that were delivered. */
  texts(): readonly string[];
  /** The results that were delivered, without that of `initialize`. */
  answers(): readonly unknown[];
}

/** Opens a channel whose clock stands still. */
export async function openTimedChannel(
  answer?: TimedAnswer,
  listener: Partial<TransportListener> = {},
): Promise<TimedChannel> {
  const server = new TimedServer(answer);
  const channel = await openChannel('http://127.0.0.1/acp', { fetch: server.fetch }, listener);
  stopClock();
  let hasEnded = false;
  void channel.transport.ended.then(() => {
    hasEnded = true;
  });
  const { received } = channel;
  return {
    ...channel,
    server,
    hasEnded: () => hasEnded,
    texts: () => JSON.stringify(received).match(/(?<="text":")[^"]+/g) ?? [],
    answers: () => received.filter((message) => Reflect.has(Object(message), 'result')).slice(1),
  };
}

/** Opens a channel and loads the session `s1`, whose stream is then open. */
export async function openWithSession(
  answer?: TimedAnswer,
): Promise<TimedChannel & { readonly lost: readonly SessionLoss[] }> {
  const lost: SessionLoss[] = [];
  const channel = await openTimedChannel(answer, { onSessionLost: (loss) => lost.push(loss) });
  void channel.transport.send(call(1, 'session/load'));
  await allHappened();
  channel.server.send(answerTo({ id: 1 }, {}), 's1');
  await allHappened();
  return { ...channel, lost };
}
