export type { PanelAgent, PanelAgentStatus, PanelTerminalLogin } from '../ui/panel/agent-choice.ts';
export { messagePortChannel, type PanelChannel, webSocketChannel } from '../ui/panel/channel.ts';
export { connectPanel, type Panel } from '../ui/panel/connect.ts';
export type {
  PanelDiff,
  PanelEditor,
  PanelLocation,
  PanelMemory,
  PanelOptions,
  PanelWorkspace,
  RememberedSession,
} from '../ui/panel/options.ts';
export { PanelError } from '../ui/panel/panel-error.ts';
export { type ServedPanel, servePanel } from '../ui/panel/serve.ts';
export type * from '../ui/panel/state.ts';
