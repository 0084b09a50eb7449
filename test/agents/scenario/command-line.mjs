import { acpClient } from '../acp-client.mjs';
import { answerChunks, errorText } from '../mock-model/directives.mjs';
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

export async function inspect(context) {
  const result = await runClient(context, 'inspect', '--format', 'json');
  if (result.code !== 0) return failed(result);
  const { protocolVersion } = JSON.parse(result.stdout);
  return protocolVersion === context.version ? works() : fault(`it prints version ${protocolVersion}`);
}

export async function sessions(context) {
  const result = await runClient(
    context,
    'sessions',
    '--format',
    'json',
    '--cwd',
    context.place.project.folder,
  );
  if (result.code !== 0) return failed(result);
  const isListed = JSON.parse(result.stdout).some(({ sessionId }) => sessionId === context.sessionId);
  return isListed ? works() : differs('the session is not on the list');
}

export async function transcript(context) {
  const folder = context.place.project.folder;
  const result = await runClient(
    context,
    'transcript',
    context.sessionId,
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

/** A failed turn. Where the agent sends the reason with its error, stderr must show it. */
export async function failure(context) {
  const { code, stdout, stderr } = await runClient(context, 'prompt', 'Fail. [[error]]', '--permit', 'allow');
  if (code === 0) return works(stdout.includes(errorText) ? 'the reason as a text' : 'without the reason');
  if (code !== 4) return failed({ code, stderr });
  return works(`exit code 4, ${stderr.includes(errorText) ? 'with the reason' : 'without the reason'}`);
}
