import { asksByDefault, asksWithOption } from './asking.mjs';
import { prompt, transcript } from './command-line.mjs';
import { crash, crashOfOne, reconnect, recover } from './crash.mjs';
import { missingKey } from './missing-key.mjs';
import { loadAgain, loss, serverKilled, wrongToken } from './remote.mjs';
import { reopenSaved } from './saved-transcript.mjs';
import { close, list, load, promptAgain, remove, resume } from './sessions.mjs';
import { steer, steerAfterQueue } from './steering.mjs';
import { subagent, subagentAgain } from './subagent.mjs';
import { tools, toolsOverStdio } from './tools.mjs';
import {
  afterCancel,
  cancelCommand,
  cancelPermission,
  cancelStreaming,
  modelError,
  plan,
  read,
  reject,
  shell,
  text,
  thoughts,
  twoPrompts,
  write,
} from './turns.mjs';

/** The steps in a first run of the agent, in one session. */
export const firstRun = [
  { id: 'text', title: 'a text in several scripts', run: text },
  { id: 'thoughts', title: 'thoughts', run: thoughts },
  { id: 'write', title: 'a file written', run: write },
  { id: 'reject', title: 'a permission refused', run: reject },
  { id: 'read', title: 'a file read', run: read },
  { id: 'shell', title: 'a command run', run: shell },
  { id: 'plan', title: 'a plan', run: plan },
  { id: 'model-error', title: 'a model error', run: modelError },
  { id: 'cancel-streaming', title: 'cancelled while streaming', run: cancelStreaming },
  { id: 'cancel-permission', title: 'cancelled while a permission is open', run: cancelPermission },
  { id: 'after-cancel', title: 'a prompt after the cancel', run: afterCancel },
  { id: 'list', title: 'sessions listed', run: list },
];

/** A separate run, because some agents hang after two prompts at once. `isAlone`: a step has a session of its own. */
export const crowdedRun = [
  { id: 'stop', isAlone: true, title: 'a cancel stops the command that runs', run: cancelCommand },
  { id: 'steer', isAlone: true, title: 'a message for the running turn', run: steer },
  {
    id: 'steer-after-queue',
    isAlone: true,
    title: 'the same, after a prompt that had to wait',
    run: steerAfterQueue,
  },
  { id: 'subagent', isAlone: true, title: 'a subagent', run: subagent },
  { id: 'two-prompts', isAlone: true, title: 'two prompts at once', run: twoPrompts },
];

/** In a clean home of their own. */
export const defaultRun = [
  { id: 'asks', title: 'asks before it edits and runs commands, by default', run: asksByDefault },
];
export const askingRun = [
  { id: 'asks-option', title: "the same with `permissions: 'ask'`", run: asksWithOption },
];

/** The steps in a second run of the agent, about sessions of earlier ones. */
export const secondRun = [
  { id: 'list-again', title: 'listed by a second process', run: list },
  { id: 'load', title: 'loaded with its history', run: load },
  { id: 'prompt-loaded', title: 'a prompt after the load', run: promptAgain },
  { id: 'close', title: 'closed', run: close },
  { id: 'resume', title: 'resumed without history', run: resume },
  { id: 'delete', title: 'deleted', run: remove },
  { id: 'subagent-loaded', isAlone: true, title: 'the subagent in the history', run: subagentAgain },
];

/** A run that is killed, and one after it, which the connection starts again. */
export const crashedRun = [{ id: 'crash', title: 'killed during a turn', run: crash }];
export const restoredRun = [
  { id: 'reconnect', title: 'the session restored after the kill', run: reconnect },
  { id: 'recover', isAlone: true, title: 'killed and restarted by the connection', run: recover },
  { id: 'crash-of-one', isAlone: true, title: 'killed alone while a command runs', run: crashOfOne },
];

/** Steps that start the agent themselves. The command line uses the session of the run that was killed. */
export const separateSteps = [
  { id: 'cli-transcript', title: '`acp-client transcript`', run: transcript, needsSession: true },
  { id: 'cli-prompt', title: '`acp-client prompt`', run: prompt },
  { id: 'missing-key', title: 'started without a key', run: missingKey },
  { id: 'transcripts', title: 'a saved transcript reopened, its own history deleted', run: reopenSaved },
];

/** Each in a run of its own, which ends with the kill of the agent. */
export const toolSteps = [
  { id: 'tools', title: 'a tool of the editor', run: tools },
  { id: 'tools-stdio', title: 'the same over stdio', run: toolsOverStdio },
];

/** The steps of the first run that show nothing more over a network. */
const onlyLocal = new Set(['thoughts', 'read', 'shell', 'plan']);

/** The steps with an agent that its own server offers to other machines. */
export const remoteRun = [
  { id: 'wrong-token', title: 'a wrong token', run: wrongToken },
  ...firstRun
    .filter(({ id }) => !onlyLocal.has(id))
    .map((step) => (step.id === 'write' ? { ...step, title: 'a file written, with a permission' } : step)),
];
export const remoteLoadedRun = [
  { id: 'load', title: 'loaded with its history by another connection', run: loadAgain },
  { id: 'prompt-loaded', title: 'a prompt after the load', run: promptAgain },
  { id: 'close', title: 'closed', run: close },
];
export const remoteLossRun = [{ id: 'loss', title: 'all TCP connections cut during a turn', run: loss }];
export const remoteEndRun = [
  { id: 'server-killed', title: 'the server killed during a turn', run: serverKilled },
];
export const remoteSteps = [...remoteRun, ...remoteLoadedRun, ...remoteLossRun, ...remoteEndRun];

/** What a user must know first. */
export const mainSteps = new Set(['asks', 'asks-option', 'stop', 'load']);
const inOrder = [
  ...defaultRun,
  ...askingRun,
  ...firstRun,
  ...crowdedRun,
  ...secondRun,
  ...crashedRun,
  ...restoredRun,
  ...separateSteps,
  ...toolSteps,
];

/** Those of an agent that this machine starts, in the order of the table. */
export const allSteps = [true, false].flatMap((isFirst) =>
  inOrder.filter(({ id }) => mainSteps.has(id) === isFirst),
);
