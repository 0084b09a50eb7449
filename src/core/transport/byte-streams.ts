import { deferred } from '../base/wait.ts';

/** A readable stream of bytes, as Node has them: `process.stdin`, a socket. */
export interface NodeByteSource {
  /** Calls the listener with each chunk. */
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  /** Calls the listener when there are no more chunks. */
  on(event: 'end' | 'close', listener: () => void): unknown;
  /** Calls the listener when reading fails. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Stops the chunks until `resume`. */
  pause(): unknown;
  /** Lets the chunks continue. */
  resume(): unknown;
  /** Reads no more. */
  readonly destroy?: (() => unknown) | undefined;
}

/** A writable stream, as Node has them: `process.stdout`, a socket. */
export interface NodeByteSink {
  /** Writes UTF-8, and calls `done` when the text was written, or with the error. */
  write(text: string, done: (error?: Error | null) => void): unknown;
  /** Nothing more is written. */
  end(): unknown;
  /** Calls the listener when writing fails. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A `ReadableStream` of the web platform. */
export interface WebByteSource {
  /** As `ReadableStream.getReader`. */
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

/** A `WritableStream` of the web platform. */
export interface WebByteSink {
  /** As `WritableStream.getWriter`. */
  getWriter(): {
    readonly closed: Promise<unknown>;
    write(chunk: Uint8Array): Promise<unknown>;
    close(): Promise<unknown>;
  };
}

/** Where bytes come from. */
export interface ByteInput {
  /** Begins to read. `onEnd` is called once or more often, with an error if reading failed. */
  start(onChunk: (chunk: Uint8Array) => void, onEnd: (error?: unknown) => void): void;
  /** Asks for no more bytes for now. Bytes that come anyway are taken. */
  pause(): void;
  resume(): void;
  /** Reads no more, and lets go of the stream. */
  stop(): void;
}

/** Where text goes. */
export interface ByteOutput {
  /** Writes in the order of the calls. Resolves when the stream has taken the text. */
  write(text: string): Promise<unknown>;
  /** Nothing more will be written. */
  end(): void;
}

export function inputFrom(stream: NodeByteSource | WebByteSource): ByteInput {
  return 'getReader' in stream ? inputFromWeb(stream) : inputFromNode(stream);
}

export function outputTo(stream: NodeByteSink | WebByteSink): ByteOutput {
  return 'getWriter' in stream ? outputToWeb(stream) : outputToNode(stream);
}

function inputFromNode(stream: NodeByteSource): ByteInput {
  return {
    start(onChunk, onEnd) {
      stream.on('data', onChunk);
      stream.on('error', onEnd);
      // A stream that is destroyed closes without an end.
      stream.on('end', () => onEnd());
      stream.on('close', () => onEnd());
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    stop: () => void stream.destroy?.(),
  };
}

function inputFromWeb(stream: WebByteSource): ByteInput {
  const reader = stream.getReader();
  let resumed = deferred();
  resumed.resolve();
  const readAll = async (onChunk: (chunk: Uint8Array) => void) => {
    for (;;) {
      await resumed.promise;
      const { done, value } = await reader.read();
      if (done) return;
      if (value) onChunk(value);
    }
  };
  return {
    start(onChunk, onEnd) {
      readAll(onChunk).then(() => onEnd(), onEnd);
    },
    pause() {
      resumed = deferred();
    },
    resume: () => resumed.resolve(),
    stop() {
      resumed.resolve();
      // The stream has failed, and `read` rejects with its error too.
      reader.cancel().catch(() => {});
    },
  };
}

function outputToNode(stream: NodeByteSink): ByteOutput {
  // A failed write is reported to its callback. Without a listener Node would throw the error.
  stream.on('error', () => {});
  return {
    write: (text) =>
      new Promise<void>((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => void stream.end(),
  };
}

function outputToWeb(stream: WebByteSink): ByteOutput {
  const writer = stream.getWriter();
  const encoder = new TextEncoder();
  // `write` rejects with the same error.
  writer.closed.catch(() => {});
  return {
    write: (text) => writer.write(encoder.encode(text)),
    end() {
      writer.close().catch(() => {});
    },
  };
}
