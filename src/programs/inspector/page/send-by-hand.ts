import type { PageState, SentRequest } from './page-state.ts';
import type { Server } from './server.ts';

/** Sends a request to the agent, and keeps it for the history. Never rejects. */
export async function sendByHand(
  state: PageState,
  server: Server,
  request: Pick<SentRequest, 'method' | 'params' | 'isUngated'>,
): Promise<SentRequest> {
  const { method, params, isUngated } = request;
  const start = performance.now();
  const body = JSON.stringify({ method, params, ...(isUngated && { allowUnsupported: true }) });
  // The server is of the same version as the page.
  const answer = (await server
    .post('/call', body)
    .catch((error: unknown) => ({ error: { message: (error as Error).message } }))) as SentRequest['outcome'];
  return state.keep({ method, params, isUngated, outcome: answer, tookMs: performance.now() - start });
}
