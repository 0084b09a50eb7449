import { appendFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

/**
 * Serves an agent of version 1 on stdin and stdout, with the official SDK.
 *
 * @param options.turn - Runs a turn. It gets `{ text, client, sessionId, cwd, update, say }`.
 * @param options.sessions - The sessions that can be loaded: a function of the session's id returns the updates.
 * @param options.record - A file. Each call is appended to it, as a line of JSON.
 */
export function serve({ name, title, turn, sessions = {}, record }) {
  const { methods } = acp;
  const app = acp.agent({ name });
  const folders = new Map();
  const on = (method, answer) =>
    app.onRequest(method, (context) => {
      if (record) appendFileSync(record, `${JSON.stringify({ method, params: context.params })}\n`);
      return answer(context);
    });
  const updater = (client, sessionId) => (update) => client.notify('session/update', { sessionId, update });
  on(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name, title, version: '1.0.0' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { list: {}, additionalDirectories: {} },
    },
    authMethods: [],
  }));
  on(methods.agent.session.new, ({ params }) => {
    const sessionId = `session-${folders.size + 1}`;
    folders.set(sessionId, params.cwd);
    return { sessionId };
  });
  on(methods.agent.session.list, ({ params }) => ({
    sessions: Object.keys(sessions).map((sessionId) => ({
      sessionId,
      cwd: params.cwd ?? process.cwd(),
      title: sessionId,
    })),
  }));
  on(methods.agent.session.load, async ({ params, client }) => {
    const { sessionId, cwd } = params;
    const history = sessions[sessionId];
    if (!history && !folders.has(sessionId)) throw acp.RequestError.resourceNotFound(sessionId);
    folders.set(sessionId, cwd);
    const update = updater(client, sessionId);
    for (const one of history?.() ?? []) await update(one);
    return {};
  });
  on(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const update = updater(client, sessionId);
    const say = (said) =>
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } });
    await turn?.({ text, client, sessionId, cwd: folders.get(sessionId), update, say });
    return { stopReason: 'end_turn' };
  });
  app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}
