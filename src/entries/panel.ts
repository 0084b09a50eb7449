export {
  messagePortChannel,
  type PanelChannel,
  type PanelPort,
  type PanelSocket,
  webSocketChannel,
} from '../panel/channel.ts';
export { type ConnectPanelOptions, connectPanel, type Panel, type PanelTurn } from '../panel/connect.ts';
export type {
  PanelDiff,
  PanelEditor,
  PanelLimits,
  PanelLocation,
  PanelMemory,
  PanelOptions,
  PanelWorkspace,
  RememberedSession,
} from '../panel/options.ts';
export { PanelError } from '../panel/panel-error.ts';
export { type ServedPanel, servePanel } from '../panel/serve.ts';
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
} from '../panel/state.ts';
