/** What is used of a WebSocket: a browser's, Node's own and that of the `ws` package all have it. */
export interface WebSocketLike {
  /** 0 while it connects, 1 while it is open, 2 and 3 afterwards. */
  readonly readyState: number;
  /** Set to `arraybuffer`: a `Blob` could not be read in the order of the wire. */
  binaryType: string;
  /** Sends one text frame. */
  send(data: string): void;
  /** Begins to close. The `close` event tells when that is done. */
  close(code?: number, reason?: string): void;
  /** Listens as in a browser. After `error` there comes a `close`. */
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  addEventListener(type: 'error', listener: (event: unknown) => void): void;
  /** Stops reading while more has come than can be handled. `ws` has it, a browser does not. */
  pause?(): void;
  /** Reads on. */
  resume?(): void;
  /** Ends the connection at once, where the other side does not answer a close. `ws` has it. */
  terminate?(): void;
}
