import { createServer } from 'node:http';
import { anthropicMessages } from './anthropic-messages.mjs';
import { chatCompletions } from './chat-completions.mjs';
import { decide } from './directives.mjs';
import { sendJson } from './event-stream.mjs';
import { geminiGenerate } from './gemini-generate.mjs';
import { openaiResponses } from './openai-responses.mjs';
import { chooseTool } from './tool-choice.mjs';

const apis = [anthropicMessages, chatCompletions, openaiResponses, geminiGenerate];

/** What else agents ask of a model's server. */
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
 * Starts the mock model on loopback: every API that the agents speak, on one port. The same requests get the same
 * answers, ids included.
 *
 * @param options.onRequest - Sees each request: `{ method, path, action }`.
 * @returns `{ url, close() }`.
 */
export async function startMockModel({ onRequest } = {}) {
  let count = 0;
  const nextId = (prefix) => `${prefix}_mock${String(++count).padStart(6, '0')}`;

  async function handle(request, response) {
    const path = new URL(request.url, 'http://localhost').pathname;
    const body = await readJson(request);
    const api = apis.find((candidate) => candidate.matches(request.method, path));
    if (!api) {
      const other = others.find(({ matches }) => matches.test(`${request.method} ${path}`));
      onRequest?.({ method: request.method, path, action: other ? 'other' : 'unknown' });
      if (other) return sendJson(response, other.value);
      return sendJson(response, { error: { type: 'not_found', message: `mock: no ${path}` } }, 404);
    }
    const { turns, tools } = api.read(body);
    const action = carryOut(decide(turns, tools.length > 0), tools);
    onRequest?.({ method: request.method, path, action: action.do, tools: tools.map(({ name }) => name) });
    if (action.do === 'error') return api.fail(response);
    await api.answer(response, body, action, nextId, path);
  }

  const server = createServer((request, response) => {
    // A reader that goes away is what cancelling looks like from here.
    response.on('error', () => {});
    handle(request, response).catch((error) => {
      onRequest?.({ method: request.method, path: request.url, action: `failed: ${error.stack}` });
      if (!response.headersSent) sendJson(response, { error: { message: String(error) } }, 500);
      else response.end();
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function carryOut(action, tools) {
  if (action.do !== 'tool') return action;
  const chosen = chooseTool(action, tools);
  if (chosen) return { do: 'tool', ...chosen };
  return { do: 'text', thoughts: [], chunks: [`I have no tool for ${action.kind}.`], delayMs: 10 };
}

async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}
