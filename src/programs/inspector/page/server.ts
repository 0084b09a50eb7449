import type { PanelChannel } from '../../../ui/panel/channel.ts';
import type { Panel } from '../../../ui/panel/connect.ts';
import type { MethodTemplates } from '../server/method-templates.ts';

const tokenKey = 'acp-inspector-token';

/** A timeline of the server. */
export interface AboutTimeline {
  readonly title: string;
  readonly live: boolean;
  /** How many lines it has now. */
  readonly lines: number;
}

/** What the server serves. */
export interface About {
  readonly timelines: readonly AboutTimeline[];
  /** What can be sent to the agent behind it. `null`: there is none. */
  readonly methods: MethodTemplates | null;
}

export type Server = ReturnType<typeof serverOf>;

/** The agent behind the page. Absent for a recording. */
export interface Hands {
  readonly server: Server;
  readonly panel: Panel;
  readonly methods: MethodTemplates;
}

/**
 * The token of this page: from the fragment of the address, from which it is removed, or from before a reload.
 * `undefined` if there is none.
 */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    sessionStorage.setItem(tokenKey, token);
    return token;
  }
  return sessionStorage.getItem(tokenKey) ?? undefined;
}

/** The server of this page. All requests have its token. */
export function serverOf(token: string) {
  const page = crypto.randomUUID();
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'x-panel-page': page, ...init.headers };
    const response = await fetch(path, { ...init, headers, cache: 'no-store', redirect: 'error' });
    if (!response.ok) throw new Error(refusal(response.status));
    return response;
  };
  return {
    /** Resolves when a stream of lines begins. */
    open: (path: string, signal?: AbortSignal) => request(path, signal ? { signal } : {}),
    async post(path: string, body: string): Promise<unknown> {
      const headers = { 'content-type': 'application/json' };
      const response = await request(path, { method: 'POST', body, headers });
      return response.json();
    },
    async about(): Promise<About> {
      const response = await request('/about', {});
      // The server is of the same version as the page.
      return (await response.json()) as About;
    },
  };
}

/** Calls `onLine` with each line of a stream. Resolves when the stream ends. */
export async function readLines({ body }: Response, onLine: (line: string) => void): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  }
}

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

function refusal(status: number): string {
  if (status === 401 || status === 403) {
    return 'The inspector refused this page. Open the address that the command printed, with its token.';
  }
  return `The inspector answered with the status ${status}.`;
}
