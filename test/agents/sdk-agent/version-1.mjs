import * as sdk from '@agentclientprotocol/sdk';
import { perform, permissionOptions } from './perform.mjs';
import { agentWithSessions } from './session-turns.mjs';

const { methods, RequestError } = sdk;
const { session } = methods.agent;

/** The agent in version 1, without message ids. */
export function agentOfVersion1(archive) {
  const { app, turns, known } = agentWithSessions(sdk, archive);
  let offered = {};

  return app
    .onRequest(methods.agent.initialize, ({ params }) => {
      offered = params.clientCapabilities ?? {};
      return {
        protocolVersion: 1,
        agentInfo: { name: 'sdk-agent', version: '1.0.0' },
        agentCapabilities: {
          loadSession: true,
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
      };
    })
    .onRequest(session.load, async ({ params: { sessionId }, client }) => {
      for (const update of known(sessionId).updates) {
        await client.notify(methods.client.session.update, { sessionId, update });
      }
      return {};
    })
    .onRequest(session.resume, ({ params: { sessionId } }) => known(sessionId) && {})
    .onRequest(session.prompt, ({ params: { sessionId, prompt }, client }) =>
      turns.run(sessionId, async (signal) => {
        if (signal.aborted) return { stopReason: 'cancelled' };
        const current = known(sessionId);
        // The client shows its own prompt. Only a replay contains it.
        for (const content of prompt) {
          current.updates.push({ sessionUpdate: 'user_message_chunk', content });
        }
        const text = prompt.map((block) => block.text ?? '').join('');
        const speech = speechOf(client, current, offered);
        try {
          await perform({ prompt: text, cwd: current.cwd, speech, signal });
          return { stopReason: 'end_turn' };
        } catch (error) {
          if (signal.aborted) return { stopReason: 'cancelled' };
          throw error instanceof RequestError ? error : RequestError.internalError(undefined, error.message);
        } finally {
          archive.write(current);
        }
      }),
    );
}

function speechOf(client, { sessionId, cwd, updates }, offered) {
  const update = async (content) => {
    updates.push(content);
    await client.notify(methods.client.session.update, { sessionId, update: content });
  };
  const announced = new Set();
  return {
    say: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
    think: (text) => update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
    plan: (entries) => update({ sessionUpdate: 'plan', entries }),
    toolCall({ text, diff, ...fields }) {
      const isNew = !announced.has(fields.toolCallId);
      announced.add(fields.toolCallId);
      return update({
        sessionUpdate: isNew ? 'tool_call' : 'tool_call_update',
        ...fields,
        ...(text !== undefined && {
          content: [{ type: 'content', content: { type: 'text', text } }],
        }),
        ...(diff && { content: [{ type: 'diff', ...diff }] }),
      });
    },
    ask: (toolCallId, _title, cancellationSignal) =>
      client.request(
        methods.client.session.requestPermission,
        { sessionId, toolCall: { toolCallId }, options: permissionOptions },
        { cancellationSignal },
      ),
    // This version has no status for cancelled tool calls.
    cancelledStatus: 'failed',
    ...(offered.fs?.writeTextFile && {
      writeFile: (path, content) =>
        client.request(methods.client.fs.writeTextFile, { sessionId, path, content }),
    }),
    ...(offered.fs?.readTextFile && {
      readFile: async (path) =>
        (await client.request(methods.client.fs.readTextFile, { sessionId, path })).content,
    }),
    ...(offered.terminal && {
      async runCommand(command) {
        const terminal = await client.createTerminal({
          sessionId,
          command: '/bin/sh',
          args: ['-c', command],
          cwd,
        });
        await terminal.waitForExit();
        const { output } = await terminal.currentOutput();
        await terminal.release();
        return output;
      },
    }),
  };
}
