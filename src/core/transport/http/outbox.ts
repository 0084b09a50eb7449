import { inOrder } from '../../base/in-order.ts';
import { utf8Length } from '../../base/utf8-length.ts';

/**
 * Sends messages one after the other where their order counts: those of one session, and those of the connection. Each
 * is sent when the server has taken the one before it. HTTP gives no order to requests that are under way together.
 */
export class Outbox {
  readonly #inOrder = inOrder();
  readonly #underWay = new Set<Promise<void>>();
  #queuedBytes = 0;

  /** Bytes of messages that the server has not taken yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Sends after the messages of the same row. `post` must not reject. */
  add(row: string, body: string, post: () => Promise<void>): Promise<void> {
    return this.#count(body, this.#inOrder.alone(row, post));
  }

  /** Sends at once: an answer has no order among other messages. `post` must not reject. */
  addAnswer(body: string, post: () => Promise<void>): Promise<void> {
    return this.#count(body, post());
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #count(body: string, sent: Promise<void>): Promise<void> {
    const bytes = utf8Length(body);
    this.#queuedBytes += bytes;
    const counted = sent.then(() => {
      this.#queuedBytes -= bytes;
      this.#underWay.delete(counted);
    });
    this.#underWay.add(counted);
    return counted;
  }
}
