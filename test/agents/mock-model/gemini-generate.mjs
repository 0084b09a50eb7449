import { errorText, prefaceText } from './directives.mjs';
import { EventStream, sendJson } from './event-stream.mjs';
import { placeholder } from './tool-choice.mjs';

/** Google's generateContent, streamed or not. */
export const geminiGenerate = {
  matches: (method, path) => method === 'POST' && /:(streamGenerateContent|generateContent)$/.test(path),

  read: ({ contents = [], tools = [] }) => ({
    turns: contents.flatMap(({ role, parts = [] }) => parts.flatMap((part) => turnsOf(role, part))),
    tools: tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        schema: parametersJsonSchema ?? parameters,
      })),
  }),

  fail: (response) =>
    sendJson(response, { error: { code: 400, message: errorText, status: 'INVALID_ARGUMENT' } }, 400),

  async answer(response, body, action, nextId, path) {
    const wanted = body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema;
    const { thoughts = [], delayMs = 10 } = action;
    // A request for an object, for instance which model to use.
    const chunks = wanted ? [JSON.stringify(objectFor(wanted))] : (action.chunks ?? [prefaceText]);
    const functionCall = action.do === 'tool' && {
      id: nextId('fc'),
      name: action.tool.name,
      args: action.input,
    };
    const piece = (parts, isLast) => ({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...(isLast && { finishReason: 'STOP' }) }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 12, totalTokenCount: 112 },
      modelVersion: 'mock-model',
      responseId: nextId('response'),
    });
    const last = functionCall ? [{ functionCall }] : [{ text: '' }];
    if (!path.endsWith(':streamGenerateContent')) {
      return sendJson(response, piece([{ text: chunks.join('') }, ...(functionCall ? last : [])], true));
    }
    const stream = new EventStream(response);
    await stream.sendEach(thoughts, delayMs, (text) => [piece([{ text, thought: true }], false)]);
    await stream.sendEach(chunks, delayMs, (text) => [piece([{ text }], false)]);
    stream.send(piece(last, true));
    stream.end();
  },
};

function turnsOf(role, { functionResponse, text }) {
  if (functionResponse) return [{ role: 'tool', text: JSON.stringify(functionResponse.response) }];
  return text ? [{ role: role === 'model' ? 'assistant' : 'user', text }] : [];
}

function objectFor({ properties = {} }) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      name === 'next_speaker' ? 'user' : placeholder(name, schema),
    ]),
  );
}
