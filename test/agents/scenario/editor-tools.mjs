import * as v from 'valibot';
import { toolServer } from '../../../dist/tools.js';

/** What the tools answer, for the model. */
export const shownText = 'shown at line 7';
export const problem = { file: 'a.ts', message: 'a missing semicolon' };

/**
 * Three tools of an editor: one answers with a text, one waits until its signal is aborted, one answers with structured
 * output. The program is the same for each agent.
 *
 * @param transports - The ways that may be used. `undefined` for all.
 * @returns `{ server, calls, nextWait() }`; `calls` has `{ name, input, context, reason }` of each call, with the reason of
 *   its abortion.
 */
export function editorTools(transports) {
  const calls = [];
  let waits = () => {};
  const record = (name, input, context) => {
    const call = { name, input, context, reason: undefined };
    calls.push(call);
    context.signal.addEventListener('abort', () => {
      call.reason = context.signal.reason;
    });
    return call;
  };
  const server = toolServer({
    name: 'editor',
    ...(transports && { transports }),
    tools: {
      show_file: {
        description: 'Shows a file to the user.',
        input: v.object({ path: v.string(), line: v.optional(v.number()) }),
        annotations: { readOnlyHint: true },
        run(input, context) {
          record('show_file', input, context);
          return `${input.path} is ${shownText}.`;
        },
      },
      list_problems: {
        description: 'Lists the problems that the editor shows.',
        annotations: { readOnlyHint: true },
        output: {
          type: 'object',
          properties: { problems: { type: 'array', items: { type: 'object' } } },
          required: ['problems'],
        },
        run(input, context) {
          record('list_problems', input, context);
          return { structuredContent: { problems: [problem] } };
        },
      },
      wait_for_user: {
        description: 'Waits for the user.',
        annotations: { readOnlyHint: true },
        run(input, context) {
          const call = record('wait_for_user', input, context);
          context.progress({ progress: 1, total: 2, message: 'The user is asked.' });
          waits(call);
          return new Promise(() => {});
        },
      },
    },
  });
  return {
    server,
    calls,
    /** Resolves to the next call that waits. */
    nextWait: () =>
      new Promise((resolve) => {
        waits = resolve;
      }),
  };
}
