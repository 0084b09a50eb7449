import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Lets AG-UI's `HttpAgent` reach a session: `createServer(agUiHandler(session, agUiResponse))`. Check who may reach it before you use this on a network. */
export const agUiHandler = (session, agUiResponse) => async (request, response) => {
  const leaves = new AbortController();
  response.once('close', () => leaves.abort());
  try {
    const input = { method: 'POST', body: await text(request), signal: leaves.signal };
    const answer = await agUiResponse(session, new Request('http://localhost/', input));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    await pipeline(Readable.fromWeb(answer.body), response);
  } catch {
    response.destroy(); // the page has left
  }
};
