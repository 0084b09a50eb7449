import { type Diagnostic, warning } from '../../base/diagnostic.ts';

/** What is reported of an agent that has sent nothing for a while. `isSteered`: messages were steered into the turn. */
export function stalled(sessionId: string, stallAfterMs: number, isSteered: boolean): Diagnostic {
  const trap = isSteered
    ? ' A message was steered into the turn, and some agents never end such a turn: only a cancel ends it then.'
    : '';
  const message = `The agent has sent nothing for ${stallAfterMs} ms in the session ${JSON.stringify(sessionId)} while a prompt is open. It may be waiting for its model, or it may hang: cancel the turn, or keep waiting.${trap}`;
  return { ...warning('session.stalled', message), sessionId };
}
