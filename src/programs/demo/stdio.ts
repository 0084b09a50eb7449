import { LineDecoder } from '../../core/transport/lines.ts';
import type { AgentEnd } from '../../core/transport/memory/memory-transport.ts';

/** How long the client may take to read the rest of the output when the agent exits. */
const unreadOutputMs = 1000;

/** The agent's end of a channel over stdin and stdout of this process. */
export function stdioChannel(): AgentEnd {
  const { stdin, stdout, stderr } = process;
  const lines = new LineDecoder(Number.POSITIVE_INFINITY);
  let isOpen = true;
  const close = () => {
    isOpen = false;
  };
  // The client may exit first.
  stdout.on('error', close);
  const write = (chunk: Uint8Array | string) => {
    if (isOpen) stdout.write(chunk);
  };
  return {
    write,
    send: (...messages) => write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    onLine: (listener) =>
      void stdin.on('data', (chunk: Buffer) => {
        lines.push(chunk);
        for (let line = lines.take(); typeof line === 'string'; line = lines.take()) {
          if (line.trim() !== '') listener(line);
        }
      }),
    onEnd: (listener) => void stdin.on('end', listener),
    end: () => void stdout.end(),
    closeInput: () => void stdin.destroy(),
    exit: ({ exitCode = 1, stderrTail = '' } = {}) => {
      close();
      process.exitCode = exitCode ?? 1;
      stderr.write(stderrTail);
      stdin.destroy();
      stdout.end(() => process.exit());
      setTimeout(() => process.exit(), unreadOutputMs).unref();
    },
  };
}
