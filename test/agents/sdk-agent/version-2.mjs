import * as sdk from '@agentclientprotocol/sdk/experimental/v2';
import { perform, permissionOptions } from './perform.mjs';
import { agentWithSessions } from './session-turns.mjs';

const { methods, RequestError } = sdk;
const { session } = methods.agent;

/** The agent in version 2: with message ids and updates of the session state. */
export function agentOfVersion2(archive) {
  const { app, turns, known } = agentWithSessions(sdk, archive);
  const tell = (client, sessionId) => (update) =>
    client.notify(methods.client.session.update, { sessionId, update });

  return app
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 2,
      info: { name: 'sdk-agent', version: '1.0.0' },
      capabilities: { session: { delete: {} } },
    }))
    .onRequest(session.resume, async ({ params: { sessionId, replayFrom }, client }) => {
      const { updates } = known(sessionId);
      const say = tell(client, sessionId);
      if (replayFrom) for (const update of updates) await say(update);
      await say({ sessionUpdate: 'state_update', state: 'idle' });
      return {};
    })
    .onRequest(session.prompt, ({ params: { sessionId, prompt }, client }) => {
      const say = tell(client, sessionId);
      // The answer confirms that the prompt was accepted. The turn continues after it.
      return new Promise((accept, refuse) => {
        turns
          .run(sessionId, async (signal) => {
            if (signal.aborted) throw RequestError.requestCancelled();
            const current = known(sessionId);
            const messageId = crypto.randomUUID();
            const message = { sessionUpdate: 'user_message', messageId, content: prompt };
            current.updates.push(message);
            await say(message);
            accept({ messageId });
            await say({ sessionUpdate: 'state_update', state: 'running' });
            const end = await takeTurn({ prompt, current, client, say, signal });
            archive.write(current);
            await say({ sessionUpdate: 'state_update', state: 'idle', ...end });
          })
          .catch(refuse);
      });
    });
}

/** Runs a turn, and resolves to its end. */
async function takeTurn({ prompt, current, client, say, signal }) {
  const text = prompt.map((block) => block.text ?? '').join('');
  try {
    await perform({ prompt: text, cwd: current.cwd, speech: speechOf(client, current, say), signal });
    return { stopReason: 'end_turn' };
  } catch (error) {
    if (signal.aborted) return { stopReason: 'cancelled' };
    const { code = -32603, message, data } = error;
    return { stopReason: 'error', error: { code, message, data } };
  }
}

function speechOf(client, { sessionId, updates }, say) {
  const update = async (content) => {
    updates.push(content);
    await say(content);
  };
  const words = (sessionUpdate) => (text, messageId) =>
    update({ sessionUpdate, messageId, content: { type: 'text', text } });
  const toolCallOf = ({ text, diff, ...fields }) => ({
    ...fields,
    ...(text !== undefined && { content: [{ type: 'content', content: { type: 'text', text } }] }),
    ...(diff && {
      content: [{ type: 'diff', changes: [{ operation: 'add', path: diff.path }] }],
      locations: [{ path: diff.path }],
    }),
  });
  return {
    say: words('agent_message_chunk'),
    think: words('agent_thought_chunk'),
    plan: (entries) =>
      update({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } }),
    toolCall: (fields) => update({ sessionUpdate: 'tool_call_update', ...toolCallOf(fields) }),
    ask: (toolCallId, title, cancellationSignal) =>
      client.request(
        methods.client.session.requestPermission,
        {
          sessionId,
          title,
          subject: { type: 'tool_call', toolCall: { toolCallId } },
          options: permissionOptions,
        },
        { cancellationSignal },
      ),
    cancelledStatus: 'cancelled',
  };
}
