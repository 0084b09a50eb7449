import type { Panel } from '../panel/connect.ts';

/** What every part of the page gets. It reads what it shows with {@link usePart}. */
export interface PanelProps {
  readonly panel: Panel;
}
