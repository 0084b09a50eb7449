import { begin, supported, unstableSession } from './sessions.mjs';
import { permissionOptions, takeTurn } from './turns.mjs';

const idle = (end) => ({ sessionUpdate: 'state_update', state: 'idle', ...end });
const base64 = (said) => Buffer.from(said).toString('base64');

/** The agent in version 2: with message ids and updates of the session state. `acp` is the entry point of the SDK. */
export function build(acp, archive, offers) {
  const { agent: methods } = acp.methods;
  const { session } = methods;
  const shared = begin(acp, archive, { number: 2, idKey: 'configId', auth: methods.auth }, offers);
  const { app, on, known, configOptions } = shared;
  const isUnstable = offers === 'unstable';
  const hasMore = offers !== 'sessions';
  const capabilities = {
    session: {
      delete: {},
      ...(hasMore && {
        prompt: { image: {}, embeddedContext: {} },
        mcp: { stdio: {}, http: {} },
        ...supported('additionalDirectories'),
      }),
      ...(isUnstable && unstableSession),
    },
    ...(isUnstable && { auth: { status: {} }, providers: {} }),
  };
  const terminalLogin = { methodId: 'tui', name: 'Terminal', args: ['login'] };
  const authMethods = [
    { type: 'agent', methodId: 'key', name: 'API key' },
    { type: 'terminal', ...terminalLogin, env: [{ name: 'MODE', value: 'login' }] },
  ];
  const tell = (client, sessionId) => (update) => client.notify('session/update', { sessionId, update });

  on(methods.initialize, () => ({
    protocolVersion: 2,
    info: shared.info,
    capabilities,
    ...(hasMore && { authMethods }),
  }));
  on(session.new, ({ params }) => {
    if (hasMore) acp.assertSupportedMcpServers(params.mcpServers, capabilities.session.mcp);
    const current = shared.create(params);
    const { sessionId } = current;
    if (!hasMore) return { sessionId };
    const input = { type: 'text', hint: 'query' };
    const availableCommands = [{ type: 'command', name: 'web', description: 'Search', input }];
    return { sessionId, configOptions: configOptions(current), availableCommands };
  });
  on(session.resume, async ({ params: { sessionId, replayFrom }, client }) => {
    const current = known(sessionId);
    const say = tell(client, sessionId);
    if (replayFrom) for (const update of current.updates) await say(update);
    await say(idle());
    return hasMore ? { configOptions: configOptions(current) } : {};
  });
  on(session.prompt, ({ params: { sessionId, prompt }, client }) => {
    shared.mayPrompt(prompt);
    const say = tell(client, sessionId);
    // The answer confirms that the prompt was accepted. The turn continues after it.
    return new Promise((accept, refuse) => {
      const turn = async (signal) => {
        if (signal.aborted) throw acp.RequestError.requestCancelled();
        const current = known(sessionId);
        const messageId = crypto.randomUUID();
        const message = { sessionUpdate: 'user_message', messageId, content: prompt };
        current.updates.push(message);
        await say(message);
        accept({ messageId });
        await say({ sessionUpdate: 'state_update', state: 'running' });
        const end = await endOf({ prompt, client, sessionId, cwd: current.cwd, signal }, current, say);
        archive.write(current);
        await say(idle(end));
      };
      shared.turns.run(sessionId, turn).catch(refuse);
    });
  });
  if (hasMore) {
    on(methods.toolCall.cancel, () => ({}));
    on(methods.terminal.cancel, ({ params }) => {
      stops.get(params.terminalId)?.();
      return {};
    });
  }
  return app;
}

/** Takes a turn, and resolves to its end. */
async function endOf(scene, current, say) {
  const { client, signal } = scene;
  try {
    await takeTurn({ ...scene, speech: speechOf(client, current, say) }, own);
    return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' };
  } catch (error) {
    if (signal.aborted) return { stopReason: 'cancelled' };
    const { code = -32603, message, data } = error;
    return { stopReason: 'error', error: { code, message, data } };
  }
}

/** What stops each terminal that runs. */
const stops = new Map();

/** The turn with a terminal of the agent's. */
const own = {
  async terminal({ speech }) {
    const terminal = { sessionUpdate: 'terminal_update', terminalId: 'x' };
    const content = { type: 'terminal', terminalId: 'x' };
    await speech.update({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 't3', content });
    await speech.update({ ...terminal, command: 'make', cwd: '/w', capabilities: { cancel: {} } });
    const data = base64('building\n');
    await speech.update({ sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data });
    // It goes on in the background until the user stops it.
    await new Promise((resolve) => stops.set('x', resolve));
    await speech.update({ ...terminal, exitStatus: { signal: 'SIGTERM' }, capabilities: null });
    await speech.toolCall({ toolCallId: 't3', status: 'cancelled' });
  },
};

function speechOf(client, { sessionId, updates }, say) {
  const update = async (content) => {
    updates.push(content);
    await say(content);
  };
  const words = (sessionUpdate) => (text, messageId) =>
    update({ sessionUpdate, messageId, content: { type: 'text', text } });
  const changed = ({ path, oldText }) => [
    {
      type: 'diff',
      changes: [{ operation: oldText === null ? 'add' : 'modify', path }],
      ...(oldText !== null && { patch: { format: 'git_patch', text: `diff --git a${path} b${path}\n` } }),
    },
  ];
  return {
    update,
    say: words('agent_message_chunk'),
    think: words('agent_thought_chunk'),
    plan: (entries) =>
      update({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } }),
    toolCall: ({ text, diff, ...fields }) =>
      update({
        sessionUpdate: 'tool_call_update',
        ...(diff && { content: changed(diff), locations: [{ path: diff.path }] }),
        ...(text !== undefined && { content: [{ type: 'content', content: { type: 'text', text } }] }),
        ...fields,
      }),
    ask: (toolCall, title, cancellationSignal) =>
      client.request(
        'session/request_permission',
        { sessionId, title, subject: { type: 'tool_call', toolCall }, options: permissionOptions },
        { cancellationSignal },
      ),
    cancelledStatus: 'cancelled',
  };
}
