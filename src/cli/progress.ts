import type { Output } from './output.ts';

const intervalMs = 100;

/** Shows how much has come from the agent, on a terminal, until it is stopped. */
export class Progress {
  readonly #output: Output;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  readonly #beginning = performance.now();
  #updates = 0;
  #bytes = 0;
  #isPaused = false;

  constructor(output: Output) {
    this.#output = output;
    if (!output.showsStatus) return;
    this.#timer = setInterval(() => this.#show(), intervalMs);
    this.#timer.unref();
  }

  /** Counts a message of the agent's. */
  count(message: { readonly method?: unknown }): void {
    if (!this.#timer) return;
    if (message.method === 'session/update') this.#updates++;
    this.#bytes += JSON.stringify(message).length + 1;
  }

  /** Leaves the terminal to others. */
  pause(): void {
    this.#isPaused = true;
    this.#output.status('');
  }

  resume(): void {
    this.#isPaused = false;
  }

  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#output.status('');
  }

  #show(): void {
    if (this.#updates === 0 || this.#isPaused) return;
    const seconds = (performance.now() - this.#beginning) / 1000;
    this.#output.status(
      `${this.#updates.toLocaleString('en')} updates, ${bytes(this.#bytes)}, ${bytes(this.#bytes / seconds)}/s`,
    );
  }
}

function bytes(count: number): string {
  if (count < 1000) return `${Math.round(count)} B`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
