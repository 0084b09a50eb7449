import { once } from 'node:events';
import { createServer } from 'node:http';
import { anthropicMessages } from './anthropic-messages.mjs';
import { chatCompletions } from './chat-completions.mjs';
import { decide } from './directives.mjs';
import { sendJson } from './event-stream.mjs';
import { geminiGenerate } from './gemini-generate.mjs';
import { openaiResponses } from './openai-responses.mjs';
import { chooseTool } from './tool-choice.mjs';

const apis = [anthropicMessages, chatCompletions, openaiResponses, geminiGenerate];

/** The headers in which agents send their key. A request without one is refused. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/** Other requests of agents. */
const others = [
  { matches: /^POST .*\/count_tokens$/, value: { input_tokens: 100 } },
  { matches: /^POST .*:countTokens$/, value: { totalTokens: 100 } },
  { matches: /^(GET|HEAD) \/$/, value: { ok: true } },
  {
    matches: /^GET .*\/models$/,
    value: {
      object: 'list',
      data: [{ id: 'mock-model', object: 'model', type: 'model', display_name: 'Mock', created: 0 }],
      models: [],
      has_more: false,
    },
  },
];

/**
 * Starts the mock model on loopback: all APIs on one port. Equal sequences of requests get equal answers, with equal
 * ids.
 *
 * @returns `{ url, failures, called, close() }`; `failures` are the errors of the mock model itself, `called` the names of
 *   the tools that it called.
 */
export async function startMockModel() {
  const failures = [];
  const called = [];
  let count = 0;
  const nextId = (prefix) => `${prefix}_mock${String(++count).padStart(6, '0')}`;

  async function handle(request, response) {
    const path = new URL(request.url, 'http://localhost').pathname;
    const text = await readText(request);
    const api = apis.find((candidate) => candidate.matches(request.method, path));
    if (!api) {
      const other = others.find(({ matches }) => matches.test(`${request.method} ${path}`));
      if (other) return sendJson(response, other.value);
      return sendJson(response, { error: { type: 'not_found', message: `mock: no ${path}` } }, 404);
    }
    if (!keyHeaders.some((name) => name in request.headers)) {
      return sendJson(response, { error: { type: 'authentication_error', message: 'no API key' } }, 401);
    }
    const body = JSON.parse(text);
    const { turns, tools } = api.read(body);
    const action = carryOut(decide(turns, tools.length > 0), tools);
    if (action.do === 'error') return api.fail(response);
    if (action.do === 'tool') called.push(action.input.name ?? action.input.tool_name ?? action.tool.name);
    await api.answer(response, body, action, nextId, path);
  }

  const server = createServer((request, response) => {
    // An agent that cancels a turn closes its connection.
    response.on('error', () => {});
    handle(request, response).catch((error) => {
      // An agent that was killed can leave half a request.
      if (request.complete) failures.push(`${request.method} ${request.url}: ${error.message}`);
      if (!response.headersSent) sendJson(response, { error: { message: String(error) } }, 500);
      else response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    failures,
    called,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function carryOut(action, tools) {
  if (action.do !== 'tool') return action;
  const chosen = chooseTool(action, tools);
  if (chosen) return { do: 'tool', ...chosen };
  return { do: 'text', thoughts: [], chunks: [`I have no tool for ${action.kind}.`], delayMs: 10 };
}

async function readText(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
