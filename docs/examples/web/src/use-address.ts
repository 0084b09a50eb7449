import type { Panel } from 'acp-client-sdk/panel';
import { useEffect, useRef } from 'react';
import { usePart } from '../../vscode/webview/use-part.ts';

/** Opens the session that the address of the page names, once, and then keeps the name of the shown one in the address. */
export function useAddress(panel: Panel): void {
  const phase = usePart(panel, (state) => state.phase);
  const sessions = usePart(panel, (state) => state.sessions);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const isOpened = useRef(false);
  useEffect(() => {
    if (phase !== 'open') return;
    const named = location.hash.slice(1);
    const isListed = sessions.some((session) => session.sessionId === named);
    if (!isOpened.current && isListed && named !== sessionId) {
      isOpened.current = true;
      void panel.openSession(named);
    } else if (sessionId !== null) {
      isOpened.current = true;
      history.replaceState(null, '', `#${sessionId}`);
    }
  }, [panel, phase, sessions, sessionId]);
}
