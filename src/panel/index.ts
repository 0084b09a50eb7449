export {
  messagePortChannel,
  type PanelChannel,
  type PanelPort,
  type PanelSocket,
  webSocketChannel,
} from './channel.ts';
export { type ConnectPanelOptions, connectPanel, type Panel, type PanelTurn } from './connect.ts';
export type {
  PanelDiff,
  PanelEditor,
  PanelLimits,
  PanelLocation,
  PanelMemory,
  PanelOptions,
  PanelWorkspace,
  RememberedSession,
} from './options.ts';
export { PanelError } from './panel-error.ts';
export { type ServedPanel, servePanel } from './serve.ts';
export type {
  PanelAgent,
  PanelAnswer,
  PanelFormField,
  PanelFormQuestion,
  PanelLoginMethod,
  PanelLoginQuestion,
  PanelPermissionQuestion,
  PanelPlace,
  PanelProblem,
  PanelQuestion,
  PanelState,
  PanelUrlQuestion,
  PanelWaiting,
} from './state.ts';
