// Prints its arguments and its variables, and those that a thread and a program get: environment.mjs [file] [args…]
// With a file that ends with .json, it writes there.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const printVariables = 'console.log(JSON.stringify(process.env))';
const node = process.env.ACP_TEST_NODE ?? process.execPath;
const started = JSON.parse(spawnSync(node, ['-e', printVariables], { encoding: 'utf8' }).stdout);
const worker = new Worker('require("worker_threads").parentPort.postMessage({ ...process.env })', {
  eval: true,
});
worker.once('message', (inThread) => {
  const { pid, argv, execArgv, env } = process;
  const text = JSON.stringify({ pid, argv, execArgv, env, started, inThread });
  const [, , file] = argv;
  if (file?.endsWith('.json')) writeFileSync(file, text);
  else console.log(text);
});
