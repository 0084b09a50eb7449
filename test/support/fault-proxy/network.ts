/** A network between a client and a proxy. It can go away with a fault, and comes back when {@link Network.mend} is called. */
export class Network {
  /** How long it is away after the fault, in seconds. */
  readonly outageSeconds: number | undefined;
  isAway = false;
  readonly #cutting: (() => void)[] = [];

  constructor(outageSeconds: number | undefined) {
    this.outageSeconds = outageSeconds;
  }

  /** Calls the listener when the network goes away. */
  onCut(listener: () => void): void {
    this.#cutting.push(listener);
  }

  /** The one fault of a case has happened. */
  faultHappened(): void {
    if (this.outageSeconds === undefined) return;
    this.isAway = true;
    for (const cut of this.#cutting.splice(0)) cut();
  }

  mend(): void {
    this.isAway = false;
  }
}
