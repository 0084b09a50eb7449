import type { Panel } from 'acp-client-sdk/panel';

/** What every part of the page gets. It reads what it shows with {@link usePart}. */
export interface PanelProps {
  readonly panel: Panel;
}
