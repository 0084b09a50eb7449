// The agent side of the official SDK, version 1. `build` takes the entry point: stable or unstable.

import { begin, supported, text, unstableSession } from './both-versions.mjs';

export function build(acp, { unstable = false } = {}) {
  const { methods } = acp;
  const modes = {
    currentModeId: 'ask',
    availableModes: [
      { id: 'ask', name: 'Ask' },
      { id: 'code', name: 'Code' },
    ],
  };
  const shared = begin(acp, {
    name: 'official-v1',
    idKey: 'id',
    auth: { login: methods.agent.authenticate, logout: methods.agent.logout },
    unstable,
  });
  const { app, on, cancelled, known, update, configOptions } = shared;

  on(methods.agent.initialize, ({ params }) => ({
    protocolVersion: 1,
    agentInfo: { name: 'official-v1', title: 'Official', version: '2.4.0' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: {
        ...supported('list', 'resume', 'close', 'delete', 'additionalDirectories'),
        ...(unstable && unstableSession),
      },
      auth: { logout: {}, ...(unstable && { status: {} }) },
      ...(unstable && { providers: {} }),
      _meta: { asked: params.protocolVersion },
    },
    authMethods: [
      { id: 'key', name: 'API key' },
      { type: 'terminal', id: 'tui', name: 'Terminal', args: ['login'], env: { MODE: 'login' } },
    ],
  }));
  on(methods.agent.session.new, async ({ params, client }) => {
    const sessionId = shared.create(params);
    // Before its answer, as some agents do.
    await update(client, sessionId, {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'web', description: 'Search', input: { hint: 'query' } }],
    });
    return { sessionId, modes, configOptions: configOptions(known(sessionId)) };
  });
  on(methods.agent.session.load, async ({ params, client }) => {
    const session = known(params.sessionId);
    await update(client, params.sessionId, ...session.said);
    return {
      modes: { ...modes, currentModeId: session.mode },
      configOptions: configOptions(session),
    };
  });
  on(methods.agent.session.resume, ({ params }) => {
    known(params.sessionId);
    return {};
  });
  on(methods.agent.session.setMode, async ({ params, client }) => {
    known(params.sessionId).mode = params.modeId;
    await update(client, params.sessionId, {
      sessionUpdate: 'current_mode_update',
      currentModeId: params.modeId,
    });
    return {};
  });

  const turns = {
    ...shared.turns((_, said) => ({ sessionUpdate: 'agent_message_chunk', content: text(said) })),
    async talk(client, sessionId) {
      await update(
        client,
        sessionId,
        { sessionUpdate: 'agent_thought_chunk', messageId: 'm1', content: text('Hm.') },
        { sessionUpdate: 'plan', entries: [{ content: 'Answer', priority: 'high', status: 'in_progress' }] },
        { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Look', kind: 'read', status: 'in_progress' },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          status: 'completed',
          content: [{ type: 'diff', path: '/a', oldText: 'a', newText: 'b' }],
          locations: [{ path: '/a', line: 3 }],
        },
        { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('Hello ') },
        { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('there.') },
        { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
        { sessionUpdate: 'session_info_update', title: 'Greeting' },
      );
    },
    async permission(client, sessionId) {
      const { outcome } = await client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: 't2', title: 'Write', kind: 'edit', status: 'pending' },
        options: [
          { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
          { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
        ],
      });
      const chosen = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
      await update(
        client,
        sessionId,
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't2',
          status: chosen === 'allow' ? 'completed' : 'failed',
        },
        { sessionUpdate: 'agent_message_chunk', content: text(`The answer was ${chosen}.`) },
      );
    },
    async files(client, sessionId, path) {
      const { content } = await client.request('fs/read_text_file', { sessionId, path, line: 2, limit: 1 });
      await client.request('fs/write_text_file', {
        sessionId,
        path: `${path}.copy`,
        content: content.toUpperCase(),
      });
      const missing = await client
        .request('fs/read_text_file', { sessionId, path: `${path}.missing` })
        .catch((error) => ({ content: `error ${error.code}` }));
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: text(`${JSON.stringify(content)} ${missing.content}`),
      });
    },
    async terminal(client, sessionId) {
      const terminal = await client.createTerminal({
        sessionId,
        command: process.execPath,
        args: ['-e', 'process.stdout.write(process.env.WHO); process.exit(2)'],
        env: [{ name: 'WHO', value: 'me' }],
      });
      await update(client, sessionId, {
        sessionUpdate: 'tool_call',
        toolCallId: 't3',
        title: 'Run',
        kind: 'execute',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: terminal.id }],
      });
      const { exitCode } = await terminal.waitForExit();
      const { output, truncated } = await terminal.currentOutput();
      await terminal.kill();
      await terminal.release();
      const said = `${output} ${truncated} ${exitCode}`;
      await update(
        client,
        sessionId,
        { sessionUpdate: 'tool_call_update', toolCallId: 't3', status: 'completed' },
        { sessionUpdate: 'agent_message_chunk', content: text(said) },
      );
    },
    async wait(client, sessionId) {
      await update(client, sessionId, {
        sessionUpdate: 'tool_call',
        toolCallId: 't4',
        title: 'Wait',
        status: 'in_progress',
      });
      const asked = client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: 't4' },
        options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }],
      });
      await new Promise((resolve) => cancelled.set(sessionId, resolve));
      const { outcome } = await asked;
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: text(`Stopped: ${outcome.outcome}.`),
      });
      return 'cancelled';
    },
    async fail() {
      throw acp.RequestError.internalError({ why: 'because' }, 'the model is down');
    },
    async login() {
      shared.requireLogin();
    },
  };

  on(methods.agent.session.prompt, async ({ params, client }) => {
    const session = known(params.sessionId);
    const [first] = params.prompt;
    const [name, argument] = first.type === 'text' ? first.text.split(' ') : ['talk'];
    const stopReason = await turns[name](client, params.sessionId, argument);
    session.said.push(
      { sessionUpdate: 'user_message_chunk', messageId: `u${session.said.length}`, content: first },
      {
        sessionUpdate: 'agent_message_chunk',
        messageId: `a${session.said.length}`,
        content: text(`Replayed ${name}`),
      },
    );
    return { stopReason: stopReason ?? 'end_turn' };
  });
  return app;
}
