import { onLine } from './lines.mjs';

/**
 * Serves methods over stdin and stdout, as an agent does. A method that is not named is answered with error -32601.
 *
 * @param methods - Each gets the parameters and the id of a call, and returns the result, or nothing to leave it open.
 * @param onAnswer - Gets the answers to what was sent.
 * @returns a function that sends a message.
 */
export function serveLines(methods, onAnswer = () => {}) {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  onLine(process.stdin, async (line) => {
    const { method, ...message } = JSON.parse(line);
    const { id, params } = message;
    if (method === undefined) return onAnswer(message);
    const error = { code: -32601, message: `Method not found: ${method}` };
    if (!Object.hasOwn(methods, method)) return id === undefined || send({ id, error });
    const result = await methods[method](params, id);
    if (id !== undefined && result !== undefined) send({ id, result });
  });
  return send;
}
