import type { PanelChannel } from '../../../ui/panel/channel.ts';
import type { Server } from './server.ts';

/** The page's end of the panel over HTTP: a stream from the host, and a POST for each message to it. */
export function httpChannel(server: Server): PanelChannel {
  const stop = new AbortController();
  let receive: (message: unknown) => void = () => {};
  // One after the other, so that they arrive in order.
  let sent: Promise<unknown> = Promise.resolve();
  const ended = server.lines('/panel', stop.signal, (line) => receive(line)).catch(() => {});
  return {
    ended,
    post(message) {
      const body = JSON.stringify(message);
      sent = sent.catch(() => {}).then(() => server.post('/panel', body));
      return sent;
    },
    listen(listener) {
      receive = listener;
      return () => stop.abort();
    },
  };
}
