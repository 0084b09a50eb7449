import type { PanelChannel } from '../../../ui/panel/channel.ts';
import { readLines, type Server } from './server.ts';

/** The page's end of the panel over HTTP: a stream from the host, and a POST for each message to it. */
export function httpChannel(server: Server): PanelChannel {
  const stop = new AbortController();
  let receive: (message: unknown) => void = () => {};
  const opened = server.open('/panel', stop.signal);
  // One after the other, so that they arrive in order, and when the stream is open.
  let sent: Promise<unknown> = opened;
  const ended = opened.then((stream) => readLines(stream, (line) => receive(line))).catch(() => {});
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
