import { asksByItself } from './asking.mjs';
import { failure, inspect, prompt, sessions, transcript } from './command-line.mjs';
import { crash, reconnect, recover } from './crash.mjs';
import { crashOfOne } from './crash-of-one.mjs';
import { missingKey } from './missing-key.mjs';
import { loadAgain, loss, serverKilled, wrongToken } from './remote.mjs';
import { reopenSaved } from './saved-transcript.mjs';
import { close, list, load, promptAgain, remove, resume } from './sessions.mjs';
import { steer, steerAfterQueue } from './steering.mjs';
import { subagent, subagentAgain } from './subagent.mjs';
import { tools, toolsOverStdio } from './tools.mjs';
import {
  afterCancel,
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

/** A separate run, because some agents hang afterwards. */
export const crowdedRun = [
  { id: 'steer', title: 'a message for the running turn', run: steer },
  { id: 'steer-after-queue', title: 'the same, after a prompt that had to wait', run: steerAfterQueue },
  { id: 'two-prompts', title: 'two prompts at once', run: twoPrompts },
];

/** A session with other settings than those of the other runs. */
export const askingRun = [{ id: 'asks', title: "asks without `permissions: 'ask'`", run: asksByItself }];

/** A session of its own, so that what a subagent does late is in no other step, and the same session in another run. */
export const subagentRun = [{ id: 'subagent', title: 'a subagent', run: subagent }];
export const subagentAgainRun = [
  { id: 'subagent-loaded', title: 'the same in the history', run: subagentAgain },
];

/** The steps in a second run of the agent, about the session of the first. */
export const secondRun = [
  { id: 'list-again', title: 'listed by a second process', run: list },
  { id: 'load', title: 'loaded with its history', run: load },
  { id: 'prompt-loaded', title: 'a prompt after the load', run: promptAgain },
  { id: 'close', title: 'closed', run: close },
  { id: 'resume', title: 'resumed without history', run: resume },
  { id: 'delete', title: 'deleted', run: remove },
];

/** A run that is killed, one after it, and two that the connection starts again. */
export const crashedRun = [{ id: 'crash', title: 'killed during a turn', run: crash }];
export const restoredRun = [
  { id: 'reconnect', title: 'the session restored after the kill', run: reconnect },
];
export const recoveringRun = [
  { id: 'recover', title: 'killed and restarted by the connection', run: recover },
];

export const orphanedRun = [
  { id: 'crash-of-one', title: 'killed alone while a command runs', run: crashOfOne },
];

/** Steps that start the agent themselves. The command line uses the session of the run that was killed. */
export const separateSteps = [
  { id: 'cli-inspect', title: '`acp-client inspect`', run: inspect },
  { id: 'cli-sessions', title: '`acp-client sessions`', run: sessions, needsSession: true },
  { id: 'cli-transcript', title: '`acp-client transcript`', run: transcript, needsSession: true },
  { id: 'cli-prompt', title: '`acp-client prompt`', run: prompt },
  { id: 'cli-failure', title: '`acp-client prompt`, a model error', run: failure },
  { id: 'missing-key', title: 'started without a key', run: missingKey },
  { id: 'transcripts', title: 'a saved transcript reopened, its own history deleted', run: reopenSaved },
];

/** Each in a run of its own, which ends with the kill of the agent. `run-tools.mjs` runs them. */
export const toolSteps = [
  { id: 'tools', title: 'a tool of the editor', run: tools },
  { id: 'tools-stdio', title: 'the same over stdio', run: toolsOverStdio },
];

/** The steps with an agent that its own server offers to other machines. `run-remote.mjs` runs them. */
export const remoteRun = [
  { id: 'wrong-token', title: 'a wrong token', run: wrongToken },
  { id: 'text', title: 'a text in several scripts', run: text },
  { id: 'write', title: 'a file written, with a permission', run: write },
  { id: 'reject', title: 'a permission refused', run: reject },
  { id: 'model-error', title: 'a model error', run: modelError },
  { id: 'cancel-streaming', title: 'cancelled while streaming', run: cancelStreaming },
  { id: 'cancel-permission', title: 'cancelled while a permission is open', run: cancelPermission },
  { id: 'after-cancel', title: 'a prompt after the cancel', run: afterCancel },
  { id: 'list', title: 'sessions listed', run: list },
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

/** Those of an agent that this machine starts, in the order of the table. */
export const allSteps = [
  ...firstRun,
  ...crowdedRun,
  ...askingRun,
  ...subagentRun,
  ...secondRun,
  ...subagentAgainRun,
  ...crashedRun,
  ...restoredRun,
  ...recoveringRun,
  ...orphanedRun,
  ...separateSteps,
  ...toolSteps,
];
