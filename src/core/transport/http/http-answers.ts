import { HttpError, InvalidMessageError } from '../../base/errors.ts';
import { printable, shortened } from '../../base/printable.ts';
import type { SentSecrets } from '../../base/secrets.ts';
import { maxTimerMs } from '../../base/wait.ts';

/** How much of the text of a refusal is read, in bytes. */
const maxRefusalBytes = 8192;

/** How long it is read, in milliseconds. */
const refusalTimeoutMs = 1000;

/** How much of it is shown, in characters. */
const maxShownLength = 300;

/** Servers send longer times by mistake, in milliseconds. */
const longestShownWaitMs = 7 * 24 * 3600 * 1000;

/** The statuses that say that the server knows neither the user nor the connection. They end the connection. */
export const endingStatuses: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** The statuses of a proxy that does not reach the server. */
export const proxyStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** What a status means, and who can act. */
const advice: Readonly<Record<number, string>> = {
  400: 'The server does not accept the request. Update the server or this library.',
  401: 'Log in again, or pass a new token in the option headers.',
  403: 'The user of these headers may not use the agent. Ask the person who runs the server.',
  404: 'There is no agent at this URL, or the server has forgotten the connection. Check the URL, then connect again.',
  405: 'The server does not speak streamable HTTP at this URL. Check the URL.',
  406: 'The server does not send event streams at this URL. Check the URL.',
  409: 'Another client reads this session, or it is gone. Load or resume it to take it back.',
  410: 'The connection is gone. Connect again.',
  413: 'The message is too large for the server or a proxy in front of it. Raise the limit there, or send less.',
  415: 'The server does not speak streamable HTTP at this URL. Check the URL.',
  421: 'The request reached another server. Check the configuration of the proxy.',
  426: 'The server wants another protocol, such as a WebSocket. Use remoteTransport.',
  429: 'The server has too many requests. Wait, then try again.',
  502: 'The proxy does not reach the agent. Ask the person who runs the server.',
  503: 'The server takes no requests now. Wait, then try again.',
  504: 'The proxy waited too long for the agent. Raise its time limit.',
};

/** The error for a request that the server refused. Reads the start of its text. */
export async function httpError(
  what: string,
  where: string,
  response: Response,
  secrets: SentSecrets,
): Promise<HttpError> {
  const { status } = response;
  // Reads the start, and gives the rest up.
  const { text } = await readText(response, { limitBytes: maxRefusalBytes, timeoutMs: refusalTimeoutMs });
  const body = printable(secrets.removeFromText(shortened(text, maxRefusalBytes)));
  const remedy = advice[status] ?? 'Ask the person who runs the server.';
  const waitMs = retryAfterMs(response);
  const wait =
    waitMs === undefined || waitMs > longestShownWaitMs
      ? ''
      : ` It asks to wait ${Math.ceil(waitMs / 1000)} s.`;
  const message = `${what}: ${where} answered with status ${status}${describeBody(body)}.${wait} ${remedy}`;
  return new HttpError(message, { status, body });
}

/**
 * How long the server wants the client to wait, in milliseconds. The header has seconds or a date.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs({ headers }: Response): number | undefined {
  const given = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(given)) return Number(given) * 1000;
  // Some dates without the name of a day are accepted by the parser, such as `-5`.
  const ms = /^[A-Za-z]+, /.test(given) ? Date.parse(given) - Date.now() : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

/** The error for an answer to `initialize` that comes from something else than an agent. */
export function notAnAgent(
  client: { readonly url: URL; show(url: URL): string; withoutSecrets(text: string): string },
  { connectionId, text, isCut }: { connectionId: string | null; text: string; isCut: boolean },
): InvalidMessageError {
  const what = isCut
    ? 'the answer is longer than maxMessageBytes, or broke off'
    : connectionId === null
      ? 'the answer has no header Acp-Connection-Id'
      : 'the answer is not a JSON message';
  const body = describeBody(client.withoutSecrets(text.slice(0, maxRefusalBytes)));
  const url = client.show(client.url);
  return new InvalidMessageError(
    `initialize: ${url} does not speak streamable HTTP of ACP: ${what}${body}. Check the URL.`,
    { method: 'initialize' },
  );
}

/** What an answer that is not the agent's has in its body. */
export function describeBody(body: string): string {
  const text = body.trim();
  if (text === '') return '';
  if (!isHtml(text)) return ` (${shortened(text.replace(/\s+/g, ' '), maxShownLength)})`;
  const title = /<title[^<>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  return ` and a page of HTML, which probably a proxy wrote${title ? ` (${title})` : ''}`;
}

/** Whether an answer is a stream of events. */
export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(text);
}

/** Reads a body, up to a number of bytes and for this many milliseconds. What broke off counts as its end. */
export async function readText(
  { body }: Response,
  { limitBytes, timeoutMs }: { readonly limitBytes: number; readonly timeoutMs: number },
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  if (!body) return { text: '', isCut: false };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  let isLate = false;
  const giveUp = () => {
    isLate = true;
    reader.cancel().catch(() => {});
  };
  const limit = timeoutMs <= maxTimerMs ? setTimeout(giveUp, timeoutMs) : undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isCut: isLate };
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
      if (bytes > limitBytes) return { text, isCut: true };
    }
  } catch {
    return { text, isCut: true };
  } finally {
    clearTimeout(limit);
    reader.cancel().catch(() => {});
  }
}
