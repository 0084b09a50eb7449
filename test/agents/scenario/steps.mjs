import { crash, reconnect, recover } from './crash.mjs';
import { close, list, load, promptAgain, remove, resume } from './sessions.mjs';
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
  { id: 'model-error', title: 'an error of the model', run: modelError },
  { id: 'cancel-streaming', title: 'cancelled while streaming', run: cancelStreaming },
  { id: 'cancel-permission', title: 'cancelled while a permission is open', run: cancelPermission },
  { id: 'after-cancel', title: 'a prompt after that', run: afterCancel },
  { id: 'list', title: 'sessions listed', run: list },
];

/** What leaves some agents stuck, in a run of its own. */
export const crowdedRun = [{ id: 'two-prompts', title: 'two prompts at once', run: twoPrompts }];

/** The steps in a second run of the agent, about the session of the first. */
export const secondRun = [
  { id: 'list-again', title: 'listed by a second process', run: list },
  { id: 'load', title: 'loaded with its history', run: load },
  { id: 'prompt-loaded', title: 'a prompt after the load', run: promptAgain },
  { id: 'close', title: 'closed', run: close },
  { id: 'resume', title: 'resumed without history', run: resume },
  { id: 'delete', title: 'deleted', run: remove },
];

/** A run that is killed, one after it, and one that comes back by itself. */
export const crashedRun = [{ id: 'crash', title: 'killed in mid-turn', run: crash }];
export const restoredRun = [{ id: 'reconnect', title: 'the session restored after that', run: reconnect }];
export const recoveringRun = [{ id: 'recover', title: 'started again by the connection', run: recover }];

/** All of them, in the order of the table. */
export const allSteps = [
  ...firstRun,
  ...crowdedRun,
  ...secondRun,
  ...crashedRun,
  ...restoredRun,
  ...recoveringRun,
];
