import { errorText, prefaceText } from './directives.mjs';
import { EventStream, sendJson, textOf } from './event-stream.mjs';

/** Anthropic's Messages. */
export const anthropicMessages = {
  matches: (method, path) => method === 'POST' && path.endsWith('/messages'),

  read: ({ messages = [], tools = [] }) => ({
    turns: messages.flatMap(({ role, content }) => turnsOf(role, content)),
    tools: tools.map((tool) => ({ name: tool.name, schema: tool.input_schema })),
  }),

  fail: (response) =>
    sendJson(response, { type: 'error', error: { type: 'invalid_request_error', message: errorText } }, 400),

  async answer(response, body, action, nextId) {
    const { thoughts = [], chunks = [prefaceText], delayMs = 10 } = action;
    const toolUse = action.do === 'tool' && {
      type: 'tool_use',
      id: nextId('toolu'),
      name: action.tool.name,
      input: action.input,
    };
    const stopReason = toolUse ? 'tool_use' : 'end_turn';
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 100,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    };
    if (!body.stream) {
      const content = [{ type: 'text', text: chunks.join('') }, ...(toolUse ? [toolUse] : [])];
      return sendJson(response, { ...message, content, stop_reason: stopReason });
    }
    const stream = new EventStream(response);
    const send = (event) => stream.send(event, event.type);
    let index = 0;
    const block = async (contentBlock, texts, deltaFor) => {
      send({ type: 'content_block_start', index, content_block: contentBlock });
      await stream.sendEach(texts, delayMs, (text) => [
        { type: 'content_block_delta', index, delta: deltaFor(text) },
        'content_block_delta',
      ]);
    };
    const endBlock = () => send({ type: 'content_block_stop', index: index++ });
    send({ type: 'message_start', message });
    if (thoughts.length > 0) {
      await block({ type: 'thinking', thinking: '', signature: '' }, thoughts, (thinking) => ({
        type: 'thinking_delta',
        thinking,
      }));
      send({
        type: 'content_block_delta',
        index,
        delta: { type: 'signature_delta', signature: 'bW9jaw==' },
      });
      endBlock();
    }
    await block({ type: 'text', text: '' }, chunks, (text) => ({ type: 'text_delta', text }));
    endBlock();
    if (toolUse) {
      await block({ ...toolUse, input: {} }, [JSON.stringify(toolUse.input)], (json) => ({
        type: 'input_json_delta',
        partial_json: json,
      }));
      endBlock();
    }
    send({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 12 },
    });
    send({ type: 'message_stop' });
    stream.end();
  },
};

function turnsOf(role, content) {
  if (typeof content === 'string') return [{ role, text: content }];
  return (content ?? []).flatMap((block) => {
    if (block.type === 'tool_use') return [{ role: 'call', text: block.name }];
    if (block.type === 'tool_result') return [{ role: 'tool', text: textOf(block.content) }];
    return block.type === 'text' ? [{ role, text: block.text }] : [];
  });
}
