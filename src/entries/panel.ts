export type { PanelAgent, PanelAgentStatus, PanelTerminalLogin } from '../panel/agent-choice.ts';
export { messagePortChannel, type PanelChannel, webSocketChannel } from '../panel/channel.ts';
export { connectPanel, type Panel } from '../panel/connect.ts';
export type {
  PanelDiff,
  PanelEditor,
  PanelLocation,
  PanelMemory,
  PanelOptions,
  PanelWorkspace,
  RememberedSession,
} from '../panel/options.ts';
export { PanelError } from '../panel/panel-error.ts';
export { type ServedPanel, servePanel } from '../panel/serve.ts';
export type * from '../panel/state.ts';
