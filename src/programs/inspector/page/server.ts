const tokenKey = 'acp-inspector-token';

/** The server of this page. All requests have its token. */
export interface Server {
  /** Calls `onLine` with each line of a stream. Resolves when the stream ends. */
  lines(path: string, signal: AbortSignal, onLine: (line: string) => void): Promise<void>;
  post(path: string, body: string): Promise<unknown>;
  get(path: string): Promise<unknown>;
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
  try {
    return sessionStorage.getItem(tokenKey) ?? undefined;
  } catch {
    // A page from a file may have no storage.
    return undefined;
  }
}

export function serverOf(token: string): Server {
  const page = crypto.randomUUID();
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'x-panel-page': page, ...init.headers };
    const response = await fetch(path, { ...init, headers, cache: 'no-store', redirect: 'error' });
    if (!response.ok) throw new Error(refusal(response.status));
    return response;
  };
  return {
    async lines(path, signal, onLine) {
      const response = await request(path, { signal });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        const lines = (rest + part.value).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') onLine(line);
      }
    },
    async post(path, body) {
      const response = await request(path, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      return response.json();
    },
    async get(path) {
      return (await request(path, {})).json();
    },
  };
}

function refusal(status: number): string {
  if (status === 401 || status === 403) {
    return 'The inspector refused this page. Open the address that the command printed, with its token.';
  }
  return `The inspector answered with the status ${status}.`;
}

/** What the server serves. */
export interface About {
  readonly timelines: readonly { readonly title: string; readonly live: boolean }[];
  /** Whether an agent runs behind it. */
  readonly hands: boolean;
}

export async function aboutOf(server: Server): Promise<About> {
  // The server is of the same version as the page.
  return (await server.get('/about')) as About;
}
