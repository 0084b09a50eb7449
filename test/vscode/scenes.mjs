import { files } from './scenes/files.mjs';
import { firstMessage } from './scenes/first-message.mjs';
import { firstRun } from './scenes/first-run.mjs';
import { hiddenView } from './scenes/hidden-view.mjs';
import { hideAndShow } from './scenes/hide-and-show.mjs';
import { hostKilled } from './scenes/host-killed.mjs';
import { laws } from './scenes/laws.mjs';
import { longSession } from './scenes/long-session.mjs';
import { multiRoot } from './scenes/multi-root.mjs';
import { noFolder } from './scenes/no-folder.mjs';
import { reloadWindow } from './scenes/reload-window.mjs';
import { stubbornAgent } from './scenes/stubborn-agent.mjs';
import { terminals } from './scenes/terminals.mjs';
import { tools } from './scenes/tools.mjs';
import { transcripts } from './scenes/transcripts.mjs';
import { turn } from './scenes/turn.mjs';
import { untitled } from './scenes/untitled.mjs';
import { untrusted } from './scenes/untrusted.mjs';
import { virtual } from './scenes/virtual.mjs';
import { webExtension } from './scenes/web-extension.mjs';

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
