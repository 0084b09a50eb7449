import type { Panel, PanelState } from 'acp-client-sdk/panel';

/** What most parts of the page get: what the panel shows, and what the user can do with it. */
export interface PanelProps {
  readonly panel: Panel;
  readonly state: PanelState;
}
