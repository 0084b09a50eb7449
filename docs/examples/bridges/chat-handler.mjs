import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Serves a chat over HTTP: POST sends a message or an answer, GET shows the turn that runs, DELETE cancels it. */
export const chatHandler = (session, transport) => async (request, response) => {
  try {
    if (request.method === 'DELETE') await session.cancel();
    // The end of the request is not the end of the turn: a page that is loaded anew asks for the rest.
    const send = async () => transport.sendMessages({ ...(await json(request)), abortSignal: undefined });
    const ways = { POST: send, GET: () => transport.reconnectToStream({}) };
    const stream = await ways[request.method]?.();
    if (!stream) return response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await pipeline(
      Readable.from(stream).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
      response,
    );
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(error.message);
  }
};
