import { plainText } from 'acp-client-sdk/conversation';
import type { PanelProps } from '../../vscode/webview/panel-props.ts';
import { shownTitle } from '../../vscode/webview/shown-title.ts';
import { usePart } from '../../vscode/webview/use-part.ts';

/** The title and the directory of the session that is shown. */
export function SessionHeader({ panel }: PanelProps) {
  const title = usePart(panel, shownTitle);
  const cwd = usePart(panel, (state) => state.cwd);
  return (
    <header>
      <div>
        <h2 dir="auto">{plainText(title)}</h2>
        <small>{plainText(cwd ?? '')}</small>
      </div>
    </header>
  );
}
