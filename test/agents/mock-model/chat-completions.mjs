import { errorText, prefaceText } from './directives.mjs';
import { EventStream, sendJson, textOf } from './event-stream.mjs';

/** OpenAI's chat completions. */
export const chatCompletions = {
  matches: (method, path) => method === 'POST' && path.endsWith('/chat/completions'),

  read: ({ messages = [], tools = [] }) => ({
    turns: messages.flatMap(({ role, content, tool_calls = [] }) => [
      { role, text: textOf(content) },
      ...(tool_calls ?? []).map((call) => ({ role: 'call', text: call.function?.name })),
    ]),
    tools: tools.map((tool) => ({ name: tool.function?.name, schema: tool.function?.parameters })),
  }),

  fail: (response) =>
    sendJson(response, { error: { message: errorText, type: 'invalid_request_error' } }, 400),

  async answer(response, body, action, nextId) {
    const call = action.do === 'tool' && {
      index: 0,
      id: nextId('call'),
      type: 'function',
      function: { name: action.tool.name, arguments: JSON.stringify(action.input) },
    };
    const { thoughts = [], chunks = [prefaceText], delayMs = 10 } = action;
    const finish = call ? 'tool_calls' : 'stop';
    const head = { id: nextId('chatcmpl'), created: 1_700_000_000, model: body.model };
    const usage = { prompt_tokens: 100, completion_tokens: 12, total_tokens: 112 };
    if (!body.stream) {
      const message = { role: 'assistant', content: chunks.join(''), ...(call && { tool_calls: [call] }) };
      const choices = [{ index: 0, message, finish_reason: finish }];
      return sendJson(response, { ...head, object: 'chat.completion', choices, usage });
    }
    const stream = new EventStream(response);
    const chunk = (delta, finishReason = null) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
    stream.send(chunk({ role: 'assistant', content: '' }));
    await stream.sendEach(thoughts, delayMs, (text) => [chunk({ reasoning_content: text })]);
    await stream.sendEach(chunks, delayMs, (text) => [chunk({ content: text })]);
    if (call) stream.send(chunk({ tool_calls: [call] }));
    stream.send({ ...chunk({}, finish), usage });
    if (body.stream_options?.include_usage) {
      stream.send({ ...head, object: 'chat.completion.chunk', choices: [], usage });
    }
    stream.send('[DONE]');
    stream.end();
  },
};
