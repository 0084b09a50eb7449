import { begin, supported, unstableSession } from './sessions.mjs';
import { permissionOptions, takeTurn } from './turns.mjs';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'code', name: 'Code' },
  ],
};

/** The agent in version 1, without message ids. `acp` is the entry point of the SDK. */
export function build(acp, archive, offers) {
  const { agent: methods } = acp.methods;
  const { session } = methods;
  const auth = { login: methods.authenticate, logout: methods.logout };
  const shared = begin(acp, archive, { number: 1, idKey: 'id', auth }, offers);
  const { app, on, known, configOptions } = shared;
  const isUnstable = offers === 'unstable';
  const hasMore = offers !== 'sessions';
  let editor = {};

  on(methods.initialize, ({ params }) => {
    editor = params.clientCapabilities ?? {};
    const sessionCapabilities = supported('list', 'resume', 'close', 'delete');
    const agentCapabilities = { loadSession: true, sessionCapabilities };
    const least = { protocolVersion: 1, agentInfo: shared.info, agentCapabilities };
    if (!hasMore) return least;
    return {
      ...least,
      agentCapabilities: {
        ...agentCapabilities,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: {
          ...sessionCapabilities,
          additionalDirectories: {},
          ...(isUnstable && unstableSession),
        },
        auth: { logout: {}, ...(isUnstable && { status: {} }) },
        ...(isUnstable && { providers: {} }),
        _meta: { asked: params.protocolVersion },
      },
      authMethods: [
        { id: 'key', name: 'API key' },
        { type: 'terminal', id: 'tui', name: 'Terminal', args: ['login'], env: { MODE: 'login' } },
      ],
    };
  });
  /** What a session is opened with. */
  const opened = (current) =>
    hasMore
      ? { modes: { ...modes, currentModeId: current.mode }, configOptions: configOptions(current) }
      : {};
  const updateOf = (client, sessionId) => (update) => client.notify('session/update', { sessionId, update });
  on(session.new, async ({ params, client }) => {
    const current = shared.create(params);
    const { sessionId } = current;
    // Before its answer, as some agents do.
    const availableCommands = [{ name: 'web', description: 'Search', input: { hint: 'query' } }];
    if (hasMore)
      await updateOf(client, sessionId)({ sessionUpdate: 'available_commands_update', availableCommands });
    return { sessionId, ...opened(current) };
  });
  on(session.load, async ({ params: { sessionId }, client }) => {
    const current = known(sessionId);
    for (const update of current.updates) await updateOf(client, sessionId)(update);
    return opened(current);
  });
  on(session.resume, ({ params }) => known(params.sessionId) && {});
  if (hasMore)
    on(session.setMode, async ({ params: { sessionId, modeId }, client }) => {
      archive.write({ ...known(sessionId), mode: modeId });
      await updateOf(client, sessionId)({ sessionUpdate: 'current_mode_update', currentModeId: modeId });
      return {};
    });
  on(session.prompt, ({ params: { sessionId, prompt }, client }) => {
    shared.mayPrompt(prompt);
    return shared.turns.run(sessionId, async (signal) => {
      if (signal.aborted) return { stopReason: 'cancelled' };
      const current = known(sessionId);
      // The client shows its own prompt. Only a replay contains it.
      const said = prompt.map((content) => ({ sessionUpdate: 'user_message_chunk', content }));
      current.updates.push(...said);
      const speech = speechOf(client, current, editor);
      try {
        await takeTurn({ prompt, client, sessionId, cwd: current.cwd, speech, signal }, own);
        return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' };
      } catch (error) {
        if (signal.aborted) return { stopReason: 'cancelled' };
        throw typeof error.code === 'number'
          ? error
          : acp.RequestError.internalError(undefined, error.message);
      } finally {
        archive.write(current);
      }
    });
  });
  return app;
}

/** The turns that use files and terminals of the client. */
const own = {
  async files({ client, sessionId, speech, argument: path }) {
    const { content } = await client.request('fs/read_text_file', { sessionId, path, line: 2, limit: 1 });
    await speech.writeFile(`${path}.copy`, content.toUpperCase());
    const missing = await speech.readFile(`${path}.missing`).catch((error) => `error ${error.code}`);
    await speech.say(`${JSON.stringify(content)} ${missing}`);
  },

  async terminal({ client, sessionId, speech }) {
    const terminal = await client.createTerminal({
      sessionId,
      command: process.execPath,
      args: ['-e', 'process.stdout.write(process.env.WHO); process.exit(2)'],
      env: [{ name: 'WHO', value: 'me' }],
    });
    const content = [{ type: 'terminal', terminalId: terminal.id }];
    const begun = { title: 'Run', kind: 'execute', status: 'in_progress', content };
    await speech.toolCall({ toolCallId: 't3', ...begun });
    const { exitCode } = await terminal.waitForExit();
    const { output, truncated } = await terminal.currentOutput();
    await terminal.kill();
    await terminal.release();
    await speech.toolCall({ toolCallId: 't3', status: 'completed' });
    await speech.say(`${output} ${truncated} ${exitCode}`);
  },
};

function speechOf(client, { sessionId, cwd, updates }, editor) {
  const update = async (content) => {
    updates.push(content);
    await client.notify('session/update', { sessionId, update: content });
  };
  const words = (sessionUpdate) => (text) => update({ sessionUpdate, content: { type: 'text', text } });
  const announced = new Set();
  return {
    update,
    say: words('agent_message_chunk'),
    think: words('agent_thought_chunk'),
    plan: (entries) => update({ sessionUpdate: 'plan', entries }),
    toolCall({ text, diff, capabilities: _, ...fields }) {
      const isNew = !announced.has(fields.toolCallId);
      announced.add(fields.toolCallId);
      return update({
        sessionUpdate: isNew ? 'tool_call' : 'tool_call_update',
        ...fields,
        ...(text !== undefined && { content: [{ type: 'content', content: { type: 'text', text } }] }),
        ...(diff && { content: [{ type: 'diff', ...diff }] }),
      });
    },
    ask(toolCall, _title, cancellationSignal) {
      announced.add(toolCall.toolCallId);
      const params = { sessionId, toolCall, options: permissionOptions };
      return client.request('session/request_permission', params, { cancellationSignal });
    },
    // This version has no status for cancelled tool calls.
    cancelledStatus: 'failed',
    ...(editor.fs?.writeTextFile && {
      writeFile: (path, content) => client.request('fs/write_text_file', { sessionId, path, content }),
    }),
    ...(editor.fs?.readTextFile && {
      readFile: async (path) => (await client.request('fs/read_text_file', { sessionId, path })).content,
    }),
    ...(editor.terminal && {
      async runCommand(command) {
        const shell = { command: '/bin/sh', args: ['-c', command] };
        const terminal = await client.createTerminal({ sessionId, ...shell, cwd });
        await terminal.waitForExit();
        const { output } = await terminal.currentOutput();
        await terminal.release();
        return output;
      },
    }),
  };
}
