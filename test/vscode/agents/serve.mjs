import { appendFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

/**
 * Serves an agent of version 1 on stdin and stdout, with the official SDK.
 *
 * @param options.turn - Runs a turn. It gets `{ text, client, sessionId, cwd, mcpServers, update, say, run, signal }`.
 *   `run(title, script)` runs a script in a terminal of the editor, and resolves to how it ended. The signal is aborted
 *   when the editor cancels the turn.
 * @param options.sessions - The sessions that can be loaded and deleted, by their titles, the newest first: a function
 *   returns the updates.
 * @param options.logins - The ways to log in, as in `initialize`.
 * @param options.onLogin - Called when the user has logged in.
 * @param options.record - A file. Each call is appended to it, as a line of JSON.
 */
export function serve({ name, title, turn, sessions = {}, logins = [], onLogin, record }) {
  const { methods } = acp;
  const app = acp.agent({ name });
  const opened = new Map();
  const turns = new Map();
  const hour = 3_600_000;
  let commands = 0;
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
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {} },
    },
    authMethods: logins,
  }));
  on(methods.agent.authenticate, () => {
    onLogin?.();
    return {};
  });
  on(methods.agent.session.new, ({ params }) => {
    const sessionId = `session-${opened.size + 1}`;
    opened.set(sessionId, params);
    return { sessionId };
  });
  on(methods.agent.session.list, ({ params }) => ({
    sessions: Object.keys(sessions).map((sessionId, index) => ({
      sessionId,
      cwd: params.cwd ?? process.cwd(),
      title: sessionId,
      updatedAt: new Date(Date.now() - index * hour).toISOString(),
    })),
  }));
  on(methods.agent.session.delete, ({ params }) => {
    delete sessions[params.sessionId];
    return {};
  });
  on(methods.agent.session.load, async ({ params, client }) => {
    const { sessionId } = params;
    const history = sessions[sessionId];
    if (!history && !opened.has(sessionId)) throw acp.RequestError.resourceNotFound(sessionId);
    opened.set(sessionId, params);
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
    const { cwd, mcpServers } = opened.get(sessionId);
    const run = async (title, script) => {
      const terminal = await client.createTerminal({ sessionId, command: 'sh', args: ['-c', script], cwd });
      const toolCallId = `command-${++commands}`;
      await update({
        sessionUpdate: 'tool_call',
        toolCallId,
        title,
        kind: 'execute',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: terminal.id }],
      });
      const exit = await terminal.waitForExit();
      await terminal.release();
      await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
      return exit;
    };
    const running = new AbortController();
    const { signal } = running;
    turns.set(sessionId, running);
    await turn?.({ text, client, sessionId, cwd, mcpServers, update, say, run, signal });
    return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' };
  });
  app.onNotification(methods.agent.session.cancel, ({ params }) => turns.get(params.sessionId)?.abort());
  app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}
