import { asksForPermission } from '../../../agents/asks-for-permission.ts';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelProps } from '../panel-props.ts';
import { usePart } from '../use-part.ts';

/** A warning where the agent may edit files without asking. The setting that decides it is below. */
export function Permissions({ panel }: PanelProps) {
  const name = usePart(panel, (state) => state.agent?.name);
  const settings = usePart(panel, (state) => state.settings);
  const isOpen = usePart(panel, (state) => state.sessionId !== null);
  const { asks, reason } = asksForPermission(name, settings);
  // The settings that decide it can be unknown until a session is open.
  if (asks === 'yes' || (asks === 'unknown' && !isOpen)) return null;
  return (
    <p className="note warning" dir="auto">
      <span aria-hidden="true">⚠ </span>
      {plainText(reason ?? '')}
    </p>
  );
}
