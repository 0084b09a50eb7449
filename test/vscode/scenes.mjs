import { files, untitled } from './scenes/files.mjs';
import { firstMessage } from './scenes/first-message.mjs';
import { firstRun } from './scenes/first-run.mjs';
import { hiddenView } from './scenes/hidden-view.mjs';
import { hideAndShow, hostKilled, reloadWindow, stubbornAgent } from './scenes/interruptions.mjs';
import { laws } from './scenes/laws.mjs';
import { longSession } from './scenes/long-session.mjs';
import { terminals } from './scenes/terminals.mjs';
import { tools } from './scenes/tools.mjs';
import { transcripts } from './scenes/transcripts.mjs';
import { turn } from './scenes/turn.mjs';
import { webExtension } from './scenes/web-extension.mjs';
import { multiRoot, noFolder, untrusted, virtual } from './scenes/workspaces.mjs';

/** All scenes: `{ name, play(stage) }`, in this order. Each has a workspace and a page of its own. */
export const scenes = [
  firstRun,
  turn,
  terminals,
  hideAndShow,
  reloadWindow,
  hostKilled,
  stubbornAgent,
  longSession,
  multiRoot,
  files,
  tools,
  untitled,
  virtual,
  untrusted,
  webExtension,
  noFolder,
  firstMessage,
  transcripts,
  hiddenView,
  ...laws,
];
