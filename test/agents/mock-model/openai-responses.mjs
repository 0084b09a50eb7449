import { errorText, prefaceText } from './directives.mjs';
import { EventStream, sendJson, textOf } from './event-stream.mjs';

/** OpenAI's Responses. */
export const openaiResponses = {
  matches: (method, path) => method === 'POST' && path.endsWith('/responses'),

  read: ({ input = [], tools = [] }) => ({
    turns: typeof input === 'string' ? [{ role: 'user', text: input }] : input.flatMap(turnsOf),
    // A search has added some of the tools.
    tools: [...tools, ...foundIn(input)].flatMap((tool) => toolsOf(tool)),
  }),

  fail: (response) =>
    sendJson(response, { error: { type: 'invalid_request_error', message: errorText } }, 400),

  async answer(response, body, action, nextId) {
    const { thoughts = [], chunks = [prefaceText], delayMs = 10 } = action;
    const output = [];
    const base = {
      id: nextId('resp'),
      object: 'response',
      created_at: 1_700_000_000,
      model: body.model,
      status: 'in_progress',
      output: [],
    };
    const stream = new EventStream(response);
    let sequence = 0;
    const event = (type, fields) => [{ type, ...fields, sequence_number: sequence++ }, type];
    const send = (type, fields) => stream.send(...event(type, fields));
    const add = (item) => send('response.output_item.added', { output_index: output.length, item });
    const done = (item) => {
      send('response.output_item.done', { output_index: output.length, item });
      output.push(item);
    };
    send('response.created', { response: base });
    if (thoughts.length > 0) {
      const item = { id: nextId('rs'), type: 'reasoning', summary: [] };
      const at = { item_id: item.id, output_index: output.length, summary_index: 0 };
      add(item);
      send('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
      await stream.sendEach(thoughts, delayMs, (delta) =>
        event('response.reasoning_summary_text.delta', { ...at, delta }),
      );
      done({ ...item, summary: [{ type: 'summary_text', text: thoughts.join('') }] });
    }
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    const part = (text) => ({ type: 'output_text', text, annotations: [] });
    const at = { item_id: message.id, output_index: output.length, content_index: 0 };
    add(message);
    send('response.content_part.added', { ...at, part: part('') });
    await stream.sendEach(chunks, delayMs, (delta) => event('response.output_text.delta', { ...at, delta }));
    send('response.output_text.done', { ...at, text: chunks.join('') });
    done({ ...message, status: 'completed', content: [part(chunks.join(''))] });
    if (action.do === 'tool') {
      const item = callItem(action, nextId);
      add({ ...item, status: 'in_progress', ...startOf(item) });
      if (typeof item.arguments === 'string') {
        const place = { item_id: item.id, output_index: output.length };
        send('response.function_call_arguments.delta', { ...place, delta: item.arguments });
        send('response.function_call_arguments.done', { ...place, arguments: item.arguments });
      }
      done(item);
    }
    send('response.completed', {
      response: {
        ...base,
        status: 'completed',
        output,
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 12,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 112,
        },
      },
    });
    stream.end();
  },
};

function foundIn(input) {
  if (typeof input === 'string') return [];
  return input.flatMap(({ type, tools }) => (type === 'tool_search_output' ? (tools ?? []) : []));
}

function turnsOf(item) {
  if (item.type === 'tool_search_call') return [{ role: 'call', text: 'tool_search' }];
  if (item.type?.endsWith('_output')) return [{ role: 'tool', text: textOf(item.output) }];
  return item.role ? [{ role: item.role, text: textOf(item.content) }] : [];
}

/** The tools of a request. A call of a tool in a namespace must name the namespace. */
function toolsOf(tool, namespace) {
  if (tool.type === 'namespace') return tool.tools.flatMap((inner) => toolsOf(inner, tool.name));
  const name = tool.name ?? tool.type;
  return [{ name, schema: tool.parameters, takesText: tool.type === 'custom', namespace }];
}

/** The input of a call before it is streamed. That of a search comes at once. */
function startOf({ type, arguments: input }) {
  if (type === 'tool_search_call') return {};
  return input === undefined ? { input: '' } : { arguments: '' };
}

function callItem({ tool, input }, nextId) {
  const shared = { call_id: nextId('call'), name: tool.name, status: 'completed' };
  if (tool.name === 'tool_search') {
    const { call_id, status } = shared;
    return {
      id: nextId('ts'),
      type: 'tool_search_call',
      call_id,
      status,
      execution: 'client',
      arguments: input,
    };
  }
  if (tool.takesText) return { id: nextId('ctc'), type: 'custom_tool_call', ...shared, input };
  return {
    id: nextId('fc'),
    type: 'function_call',
    ...shared,
    arguments: JSON.stringify(input),
    ...(tool.namespace && { namespace: tool.namespace }),
  };
}
