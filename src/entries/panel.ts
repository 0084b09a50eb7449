/**
 * The two ends of a panel: the host, which has the agents, and the page, which shows them.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export type { PanelAgent } from '../ui/panel/agent-choice.ts';
export { messagePortChannel, type PanelChannel, webSocketChannel } from '../ui/panel/channel.ts';
export { connectPanel, type Panel } from '../ui/panel/connect.ts';
export type { PanelEditor, PanelMemory, PanelOptions } from '../ui/panel/options.ts';
export { PanelError } from '../ui/panel/panel-error.ts';
export { type ServedPanel, servePanel } from '../ui/panel/serve.ts';
export type { PanelProblem, PanelQuestion, PanelState } from '../ui/panel/state.ts';
