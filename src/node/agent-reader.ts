import { NdjsonReader } from '../transport/ndjson.ts';

/** Knows whether anybody takes its messages: what nobody takes need not be waited for. And whether there were any. */
export class AgentReader extends NdjsonReader {
  #listening = false;
  #spoke = false;
  readonly #over: Promise<void>;
  #finish: () => void = () => {};

  constructor(...[source, options]: ConstructorParameters<typeof NdjsonReader>) {
    super(source, options);
    this.#over = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.onClose(() => this.#finish());
  }

  get listening(): boolean {
    return this.#listening;
  }

  /** Whether a message has been delivered. */
  get spoke(): boolean {
    return this.#spoke;
  }

  /** Resolves when all that was read has been delivered, or nobody listens for it. */
  delivered(): Promise<void> {
    return this.#listening ? this.#over : Promise.resolve();
  }

  override listen(callback: Parameters<NdjsonReader['listen']>[0]): ReturnType<NdjsonReader['listen']> {
    this.#listening = true;
    return super.listen((message) => {
      this.#spoke = true;
      callback(message);
    });
  }

  protected override stop(): void {
    super.stop();
    this.#listening = false;
    this.#finish();
  }
}
