import { asksForPermission } from '../../../agents/asks-for-permission.ts';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelProps } from '../panel-props.ts';
import { usePart } from '../use-part.ts';

/** A warning where the agent edits files without asking. The setting that decides it is below. */
export function Permissions({ panel }: PanelProps) {
  const name = usePart(panel, (state) => state.agent?.name);
  const settings = usePart(panel, (state) => state.settings);
  const { asks, reason } = asksForPermission(name, settings);
  if (asks !== 'no') return null;
  return (
    <p className="note warning" dir="auto">
      <span aria-hidden="true">⚠ </span>
      {plainText(reason ?? '')}
    </p>
  );
}
