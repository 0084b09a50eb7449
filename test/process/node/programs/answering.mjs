// An agent whose answers are given: node answering.mjs JSON. The JSON has `initialize`, its result for each offered
// version or one for all; `answers`, by method: `{ result }`, `{ error }` or `"none"`; and `pushed`, the notifications that
// follow the answer to initialize. It writes each method that it receives to the file in LOG, and its pid to that in PIDS.
import { appendFileSync } from 'node:fs';
import { onLine } from '../../../support/lines.mjs';

const { initialize, answers = {}, pushed = [] } = JSON.parse(process.argv[2]);
const note = (file, line) => file && appendFileSync(file, `${line}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
note(process.env.PIDS, process.pid);

onLine(process.stdin, (line) => {
  const { id, method, params } = JSON.parse(line);
  note(process.env.LOG, method);
  if (method === 'initialize') {
    const own = initialize[params.protocolVersion] ?? initialize;
    send({ id, ...('error' in own ? { error: own.error } : { result: own }) });
    for (const message of pushed) send(message);
  } else if (answers[method] === undefined) send({ id, error: { code: -32601, message: 'No such method.' } });
  else if (answers[method] !== 'none') send({ id, ...answers[method] });
});
