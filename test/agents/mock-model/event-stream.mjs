import { setTimeout as sleep } from 'node:timers/promises';

/** A response of server-sent events. After the reader has disconnected, writing does nothing. */
export class EventStream {
  #response;

  constructor(response) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  }

  get open() {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sends one event, with a name if the API has names. */
  send(data, name) {
    if (!this.open) return;
    const json = typeof data === 'string' ? data : asciiLines(JSON.stringify(data));
    this.#response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${json}\n\n`);
  }

  /** Sends each text, `delayMs` apart, until the reader disconnects. */
  async sendEach(texts, delayMs, eventFor) {
    for (const text of texts) {
      if (!this.open) return;
      this.send(...eventFor(text));
      await sleep(delayMs);
    }
  }

  end() {
    this.#response.end();
  }
}

/** Escapes the separators at which some readers of events break a line. */
function asciiLines(json) {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

export function sendJson(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** The text in the content of a message, for each API. */
export function textOf(content) {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  return content.text ?? textOf(content.content ?? content.output ?? content.parts ?? content.response);
}
