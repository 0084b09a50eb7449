import { json } from 'node:stream/consumers';
import { pipeUIMessageStreamToResponse } from 'ai';

/** Serves a chat over HTTP: POST sends a message or an answer, GET shows the turn that runs, DELETE cancels it. */
export const chatHandler = (session, transport) => async (request, response) => {
  // The end of the request is not the end of the turn: a page that is loaded anew asks for the rest.
  const send = async () => transport.sendMessages({ ...(await json(request)), abortSignal: undefined });
  const ways = { POST: send, GET: () => transport.reconnectToStream({}), DELETE: () => session.cancel() };
  try {
    const stream = await ways[request.method]?.();
    if (stream) await pipeUIMessageStreamToResponse({ response, stream });
    else response.writeHead(204).end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(error.message);
  }
};
