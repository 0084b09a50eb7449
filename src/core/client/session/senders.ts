/** What an event sends when it has its turn, or does without because the session is not open. */
export interface Sender {
  send(): void;
  skip(): void;
}

/** What events send, by the ids that they and their effects have: an event is data. */
export class Senders {
  readonly #sessionId: string;
  readonly #waiting = new Map<string, Sender>();
  #count = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Returns the id. Sessions that work for this one get its events too, so the id names the session. */
  keep(sender: Sender, id = `call:${this.#sessionId}:${++this.#count}`): string {
    this.#waiting.set(id, sender);
    return id;
  }

  send(id: string): void {
    this.#take(id)?.send();
  }

  skip(id: string): void {
    this.#take(id)?.skip();
  }

  #take(id: string): Sender | undefined {
    const sender = this.#waiting.get(id);
    this.#waiting.delete(id);
    return sender;
  }
}
