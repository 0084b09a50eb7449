import { acpClient } from '../acp-client.mjs';
import { answerChunks } from '../mock-model/directives.mjs';
import { differs, fault, lacks, refuses, works } from './outcome.mjs';

const timeoutMs = 120_000;

/** The first prompt of the session that was killed, or of the first one where the agent takes no turns. */
const firstPrompt = /Before the crash\.|Please greet me\./;

/** Runs `acp-client` with the agent, in the version of the scenario. Its messages are in `traceFile`. */
function runClient({ launch, place, version, traceFile }, ...args) {
  const options = ['--protocol', String(version), '--trace', traceFile];
  return acpClient({ launch, place, timeoutMs }, ...args, ...options);
}

/** The outcome of a command that did not exit with code 0. */
function failed({ code, stderr }) {
  if (code === 3) return lacks();
  const rpcCode = /error (-?\d+)/.exec(stderr)?.[1];
  if (code === 4) return refuses(rpcCode ? `error ${rpcCode}` : '');
  return fault(`exit code ${code}: ${stderr.trim().slice(-300)}`);
}

export async function transcript(context) {
  const folder = context.place.project.folder;
  const result = await runClient(
    context,
    'transcript',
    (context.crashed ?? context).sessionId,
    '--cwd',
    folder,
    '--settle',
    '1500',
  );
  if (result.code !== 0) return failed(result);
  return firstPrompt.test(result.stdout) ? works() : differs('the history is not shown');
}

export async function prompt(context) {
  const result = await runClient(context, 'prompt', 'Please greet me. [[text]]', '--permit', 'allow');
  if (result.code !== 0) return failed(result);
  return result.stdout.includes(answerChunks.slice(0, 2).join(''))
    ? works()
    : differs('the answer is not what the model said');
}
