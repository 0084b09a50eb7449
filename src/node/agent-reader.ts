import { NdjsonReader } from '../transport/ndjson.ts';

/** Knows whether anybody takes its messages: what nobody takes need not be waited for. */
export class AgentReader extends NdjsonReader {
  #listening = false;
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

  /** Resolves when all that was read has been delivered, or nobody listens for it. */
  delivered(): Promise<void> {
    return this.#listening ? this.#over : Promise.resolve();
  }

  override listen(callback: Parameters<NdjsonReader['listen']>[0]): ReturnType<NdjsonReader['listen']> {
    this.#listening = true;
    return super.listen(callback);
  }

  protected override stop(): void {
    super.stop();
    this.#listening = false;
    this.#finish();
  }
}
