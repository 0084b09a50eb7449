// The agent side of the official SDK, the draft of version 2. `build` takes the entry point: stable or unstable.

import { begin, supported, text, unstableSession } from './both-versions.mjs';

const base64 = (said) => Buffer.from(said).toString('base64');

export function build(acp, { unstable = false } = {}) {
  const { methods } = acp;
  const capabilities = {
    session: {
      prompt: { image: {}, embeddedContext: {} },
      mcp: { stdio: {}, http: {} },
      ...supported('delete', 'additionalDirectories'),
      ...(unstable && unstableSession),
    },
    ...(unstable && { auth: { status: {} }, providers: {} }),
  };
  const shared = begin(acp, { name: 'official-v2', idKey: 'configId', auth: methods.agent.auth, unstable });
  const { app, on, cancelled, known, update, configOptions } = shared;
  const state = (name, more = {}) => ({ sessionUpdate: 'state_update', state: name, ...more });

  on(methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: 'official-v2', title: 'Official', version: '2.4.0' },
    capabilities,
    authMethods: [
      { type: 'agent', methodId: 'key', name: 'API key' },
      {
        type: 'terminal',
        methodId: 'tui',
        name: 'Terminal',
        args: ['login'],
        env: [{ name: 'MODE', value: 'login' }],
      },
    ],
  }));
  on(methods.agent.session.new, ({ params }) => {
    acp.assertSupportedMcpServers(params.mcpServers, capabilities.session.mcp);
    const sessionId = shared.create(params);
    return {
      sessionId,
      configOptions: configOptions(known(sessionId)),
      availableCommands: [
        { type: 'command', name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } },
      ],
    };
  });
  on(methods.agent.session.resume, async ({ params, client }) => {
    const session = known(params.sessionId);
    if (params.replayFrom) await update(client, params.sessionId, ...session.said);
    await update(client, params.sessionId, state('idle'));
    return { configOptions: configOptions(session) };
  });

  const turns = {
    ...shared.turns((messageId, said) => ({
      sessionUpdate: 'agent_message_chunk',
      messageId,
      content: text(said),
    })),
    async talk(client, sessionId) {
      await update(
        client,
        sessionId,
        { sessionUpdate: 'agent_thought', messageId: 'm1', content: [text('Hm.')] },
        {
          sessionUpdate: 'plan_update',
          plan: {
            type: 'items',
            planId: 'p1',
            entries: [{ content: 'Answer', priority: 'high', status: 'in_progress' }],
          },
        },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          title: 'Look',
          kind: 'read',
          status: 'in_progress',
          capabilities: { cancel: {} },
        },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          status: 'completed',
          content: [
            {
              type: 'diff',
              changes: [{ operation: 'modify', path: '/a' }],
              patch: { format: 'git_patch', text: 'diff --git a/a b/a\n' },
            },
          ],
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
        title: 'May I write?',
        subject: {
          type: 'tool_call',
          toolCall: { toolCallId: 't2', title: 'Write', kind: 'edit', status: 'pending' },
        },
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
        { sessionUpdate: 'agent_message_chunk', messageId: 'p2', content: text(`The answer was ${chosen}.`) },
      );
    },
    async terminal(client, sessionId) {
      const terminal = { sessionUpdate: 'terminal_update', terminalId: 'x' };
      await update(
        client,
        sessionId,
        {
          sessionUpdate: 'tool_call_content_chunk',
          toolCallId: 't3',
          content: { type: 'terminal', terminalId: 'x' },
        },
        { ...terminal, command: 'make', cwd: '/w', capabilities: { cancel: {} } },
        { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: base64('building\n') },
      );
      // It goes on in the background until the user stops it.
      await new Promise((resolve) => cancelled.set('terminal x', resolve));
      await update(
        client,
        sessionId,
        { ...terminal, exitStatus: { signal: 'SIGTERM' }, capabilities: null },
        { sessionUpdate: 'tool_call_update', toolCallId: 't3', status: 'cancelled' },
      );
    },
    async wait(client, sessionId) {
      await update(client, sessionId, {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't4',
        title: 'Wait',
        status: 'in_progress',
      });
      const asked = client.request('session/request_permission', {
        sessionId,
        title: 'May I wait?',
        subject: { type: 'tool_call', toolCall: { toolCallId: 't4' } },
        options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }],
      });
      await new Promise((resolve) => cancelled.set(sessionId, resolve));
      const { outcome } = await asked;
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        messageId: 'w1',
        content: text(`Stopped: ${outcome.outcome}.`),
      });
      return { stopReason: 'cancelled' };
    },
    async fail() {
      return { stopReason: 'error', error: { code: -32603, message: 'the model is down' } };
    },
  };

  on(methods.agent.session.prompt, async ({ params, client }) => {
    const session = known(params.sessionId);
    const { sessionId } = params;
    const [first] = params.prompt;
    const name = first.type === 'text' ? first.text.split(' ')[0] : 'talk';
    if (name === 'login') shared.requireLogin();
    const messageId = `u${session.said.length}`;
    const echo = { sessionUpdate: 'user_message', messageId, content: params.prompt };
    await update(client, sessionId, echo, state('running'));
    (turns[name] ?? turns.talk)(client, sessionId).then((end = { stopReason: 'end_turn' }) =>
      update(client, sessionId, state('idle', end)),
    );
    session.said.push(echo, {
      sessionUpdate: 'agent_message',
      messageId: `a${session.said.length}`,
      content: [text(`Replayed ${name}`)],
    });
    return { messageId };
  });
  on(methods.agent.toolCall.cancel, () => ({}));
  on(methods.agent.terminal.cancel, ({ params }) => {
    cancelled.get(`terminal ${params.terminalId}`)?.();
    return {};
  });
  return app;
}
