import { resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { spawnAgent } from '../../src/agents/spawn-agent.ts';
import { type Diagnostic, errorMessage, preview } from '../../src/core/base/diagnostic.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import { emptyConversation } from '../../src/core/conversation/fold.ts';
import { createConversationStore } from '../../src/core/conversation/store.ts';
import { loginShellEnvironment } from '../../src/node/login-shell/login-shell.ts';
import { createConversationMirror } from '../../src/records/mirror/mirror.ts';
import { publishConversation } from '../../src/records/mirror/publish.ts';
import { scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { connectPanel } from '../../src/ui/panel/connect.ts';
import { connectTo, everything } from '../support/agents.ts';
import { connectFlushable, cwd, flush, openSession, outline } from '../support/open-session.ts';
import { channelPair, panelPair } from '../support/panel-pair.ts';
import { firstMessage } from '../support/raw-page.ts';
import { connectRestarting, crash } from '../support/restarting-agent.ts';
import { unhandledErrors } from '../support/unhandled-errors.ts';
import allowed from './allowed.json' with { type: 'json' };
import { declarationsOf, publicNames } from './public-declarations.ts';

const chunk = { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'Hi' } };

/** Values whose conversion to text throws, and one that converts. */
const thrown: readonly (readonly [string, () => unknown])[] = [
  ['an error', () => new Error('mine')],
  ['an object without a prototype', () => Object.create(null)],
  [
    'an object whose toString throws',
    () => ({
      toString() {
        throw new Error('not this one');
      },
    }),
  ],
  [
    'an error whose message throws',
    () =>
      Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('not this one');
        },
      }),
  ],
  ['an error whose message is a symbol', () => Object.assign(new Error(), { message: Symbol('mine') })],
  ['a revoked proxy', revoked],
  ['a revoked function', () => revoked(() => {})],
];

function revoked(target: object = {}): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

test.each(thrown)('%s has a message', (_, value) => {
  expect(errorMessage(value())).toMatch(/mine|^a value that cannot be shown$/);
});

test.each(thrown)('%s has a preview, also within another value', (_, value) => {
  expect(typeof preview(value())).toBe('string');
  expect(typeof preview({ list: [value()] })).toBe('string');
});

/** What came of a listener that failed: the errors that were reported, as data or as the value itself. */
type Failed = (listener: () => never) => Promise<readonly unknown[]>;

const text = ({ rule, message }: Diagnostic) => `${rule}: ${message}`;

/** Connects with an option, and lets the agent send an update. */
const connected = (options: (listener: () => never) => Partial<ConnectOptions>): Failed =>
  async function fail(listener) {
    const { agent, diagnostics, conversation, connection } = await openSession('v1', {
      connect: options(listener),
    });
    agent.update('s1', chunk);
    await flush(agent);
    expect(outline(conversation())).toEqual(['agent: Hi']);
    await connection.close();
    return diagnostics.map(text);
  };

/** A listener of a call that loads a session. */
function loading(option: 'onProgress' | 'onUpdate') {
  return async (listener: () => unknown): Promise<readonly string[]> => {
    const { connection, diagnostics } = await connectTo(everything.v1, {
      script: (scripted) =>
        scripted.on('session/load', (_, agent) => {
          agent.update('s1', chunk);
          return {};
        }),
    });
    await connection.loadSession({ sessionId: 's1', cwd }, { [option]: listener });
    return diagnostics.map(text);
  };
}

/** Opens a session, and lets the agent send an update to its listeners. */
const listening = (
  listen: (opened: Awaited<ReturnType<typeof openSession>>, listener: () => never) => unknown,
  update: object = chunk,
): Failed =>
  async function fail(listener) {
    const opened = await openSession('v2-markers');
    listen(opened, listener);
    opened.agent.update('s1', update);
    await flush(opened.agent);
    await opened.connection.close();
    expect(opened.connection.state).toBe('closed');
    return opened.diagnostics.map(text);
  };

/** Connects with handlers, and lets the agent send a notification. */
const notified = (
  handlers: (listener: () => never) => NonNullable<ConnectOptions['handlers']>,
  method: string,
  params: object,
): Failed =>
  async function fail(listener) {
    const { agent, diagnostics } = await connectFlushable(everything.v1, { handlers: handlers(listener) });
    agent.notify(method, params as never);
    await flush(agent);
    return diagnostics.map(text);
  };

/** Every function of the public types whose result is not used, by its place: how it fails, and what is reported. */
const listeners: Readonly<Record<string, Failed>> = {
  'Trace.write': connected((write) => ({ trace: { write } })),
  DiagnosticListener: async (listener) => {
    const { agent, conversation } = await openSession('v1', { connect: { onDiagnostic: listener } });
    agent.notify('_unknown');
    agent.update('s1', { sessionUpdate: 'agent_message_chunk' });
    agent.update('s1', chunk);
    await flush(agent);
    // There is no further listener: the next messages are handled.
    return outline(conversation());
  },
  'ClientConnection.onStateChange.listener': listening(({ connection }, listener) =>
    connection.onStateChange(listener),
  ),
  'Reconnection.onNextAttempt.listener': async (listener) => {
    const restarting = await connectRestarting((agent) => agent.on('initialize', everything.v1));
    restarting.connection.reconnection.onNextAttempt(listener);
    await crash(restarting);
    return restarting.diagnostics.map(text);
  },
  'ConversationStore.subscribe.listener': listening(({ session }, listener) =>
    session.store.subscribe(listener),
  ),
  'Session.onUpdate.listener': listening(({ session }, listener) => session.onUpdate(listener)),
  'Session.onEvent.listener': listening(({ session }, listener) => session.onEvent(listener)),
  'Session.onNotice.listener': listening(({ session }, listener) => session.onNotice(listener), {
    sessionUpdate: 'notice',
    severity: 'info',
    title: 'A title',
  }),
  'LoadSessionOptions.onProgress': loading('onProgress'),
  'LoadSessionOptions.onUpdate': loading('onUpdate'),
  'ClientHandlers.authStatusChanged': notified(
    (authStatusChanged) => ({ authStatusChanged }),
    'auth/status_update',
    { state: 'out' },
  ),
  'ClientHandlers.extensions': notified((handler) => ({ extensions: { _x: handler } }), '_x', {}),
  'ClientHandlers.elicit.completed': async (completed) => {
    const { agent, diagnostics } = await openSession('v1', {
      handlers: { elicit: { url: () => ({ action: 'accept' }), completed } },
    });
    const elicitation = { mode: 'url', elicitationId: 'e1', url: 'https://host', message: 'Open it.' };
    await agent.request('elicitation/create', { sessionId: 's1', ...elicitation });
    agent.notify('elicitation/complete', { elicitationId: 'e1' });
    await flush(agent);
    return diagnostics.map(text);
  },
  'TerminalHandlers.close': async (close) => {
    const terminals = {
      create: close,
      output: close,
      waitForExit: close,
      kill: close,
      release: close,
      close,
    };
    const { connection, diagnostics } = await openSession('v1', { handlers: { terminals } });
    await connection.close();
    return diagnostics.map(text);
  },
  'SpawnAgentOptions.onStderr': async (onStderr) => {
    const diagnostics: Diagnostic[] = [];
    const args = ['-e', 'process.stderr.write("x")'];
    const agent = spawnAgent({ command: process.execPath, args, onStderr });
    agent.listen({
      onMessage() {},
      onActivity() {},
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    await agent.ended;
    return diagnostics.map(text);
  },
  'LoginShellOptions.onProblem': async (onProblem) => {
    const shell = resolve('there-is-no-such-shell');
    return [await loginShellEnvironment({ shell, onProblem })];
  },
  'ConversationStoreOptions.onListenerError': async (onListenerError) => {
    const store = createConversationStore(emptyConversation('s1'), { onListenerError });
    let calls = 0;
    store.subscribe(onListenerError);
    store.subscribe(() => calls++);
    store.apply(chunk as never);
    await turnOfEventLoop();
    return [calls];
  },
  'ConversationMirrorOptions.onListenerError': async (onListenerError) => {
    const mirror = createConversationMirror('s1', { requestResend() {}, onListenerError });
    let calls = 0;
    mirror.subscribe(onListenerError);
    mirror.subscribe(() => calls++);
    const store = createConversationStore(emptyConversation('s1'));
    publishConversation(store, { send: mirror.receive });
    store.apply(chunk as never);
    await turnOfEventLoop();
    return [calls];
  },
  'ConversationMirrorOptions.requestResend': async (requestResend) => {
    const errors: unknown[] = [];
    const mirror = createConversationMirror('s1', {
      requestResend,
      onListenerError: (error) => errors.push(error),
    });
    mirror.receive({ sequence: 7, patch: [] });
    await turnOfEventLoop();
    return errors.map(errorMessage);
  },
  'ConversationPublisherOptions.send': (send) =>
    publishing((_, store) => publishConversation(store, { send })),
  'ConversationPublisherOptions.schedule': (schedule) =>
    publishing((mirror, store) => publishConversation(store, { send: mirror.receive, schedule })),
  'ServedPanel.subscribe.listener': async (listener) => {
    const { served, panel, problems } = await panelPair();
    served.subscribe(listener);
    await panel.newSession();
    return problems.map(({ message }) => message);
  },
  'Panel.subscribe.listener': async (listener) => {
    const { panel, errors } = await panelPair();
    panel.subscribe(listener);
    // A change of the host reaches the listeners in the next frame, and a draft at once.
    panel.setDraft('draft');
    await panel.newSession();
    return errors.map(errorMessage);
  },
  'PanelMemory.set': async (set) => {
    const { panel, problems } = await panelPair({ options: { memory: { get: () => undefined, set } } });
    await panel.newSession();
    return problems.map(({ message }) => message);
  },
  'PanelMemory.setAgent': async (setAgent) => {
    const memory = { get: () => undefined, set: () => {}, setAgent };
    const { panel, problems } = await panelPair({
      options: {
        memory,
        agents: [
          { id: 'one', name: 'One', start: () => scriptedAgent().on('initialize', everything.v1).transport },
        ],
      },
    });
    await panel.chooseAgent('one');
    return problems.map(({ message }) => message);
  },
  'PanelOptions.onProblem': async (onProblem) => {
    const { panel, channel } = await panelPair({ options: { onProblem } });
    channel.page.post('no message');
    await panel.newSession();
    return [panel.getSnapshot().sessionId];
  },
  'connectPanel.options.onError': async (onError) => {
    const { served } = await panelPair();
    const channel = channelPair();
    served.attach(channel.host);
    const panel = connectPanel(channel.page, { onError });
    panel.subscribe(onError);
    await panel.newSession();
    const { sessionId } = panel.getSnapshot();
    panel.close();
    return [sessionId];
  },
  'PanelChannel.post': async (post) => {
    const { served, panel, problems } = await panelPair();
    const listen = (listener: (message: unknown) => void) => {
      listener(firstMessage);
      return () => {};
    };
    served.attach({ post, listen });
    await panel.newSession();
    return problems.map(({ message }) => message);
  },
};

/** Publishes to a mirror after the first message. An error of that message goes to the caller. */
async function publishing(
  publish: (mirror: { receive: () => void }, store: ReturnType<typeof createConversationStore>) => unknown,
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const store = createConversationStore(emptyConversation('s1'), {
    onListenerError: (error) => errors.push(error),
  });
  try {
    publish({ receive() {} }, store);
  } catch {
    // The subscription was made before.
  }
  store.apply(chunk as never);
  await turnOfEventLoop();
  return errors.map(errorMessage);
}

/** What a listener is expected to leave, where it is not a diagnostic that names the error. */
const outcomes: Readonly<Record<string, unknown>> = {
  DiagnosticListener: ['agent: Hi'],
  'LoginShellOptions.onProblem': [{}],
  'ConversationStoreOptions.onListenerError': [1],
  'ConversationMirrorOptions.onListenerError': [1],
  'PanelOptions.onProblem': ['s1'],
  'connectPanel.options.onError': ['s1'],
  'PanelChannel.post': expect.arrayContaining([
    expect.stringMatching(/of a page failed: (?:mine|a value that cannot be shown)$/),
  ]),
};

const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a listener that fails', () => {
  const ways = [
    ['throws', (value: unknown) => raise(value)],
    // TypeScript accepts an async function where the result is not used.
    ['rejects', (value: unknown) => Promise.reject(value) as never],
  ] as const;

  const cases = Object.entries(listeners).flatMap(([place, fail]) =>
    ways.flatMap(([way, failWith]) =>
      thrown.slice(0, 2).map(([what, value]) => [place, way, what, fail, () => failWith(value())] as const),
    ),
  );

  test.each(cases)(
    '[reliability: failing-listeners] %s: %s %s, and this is reported',
    async (place, _way, _what, fail, listener) => {
      const unhandled = unhandledErrors();
      const reported = await fail(listener);
      await turnOfEventLoop();
      const expected =
        outcomes[place] ??
        expect.arrayContaining([
          expect.stringMatching(
            /(?:subscriber|handler)\.failed: .+ failed: .*(?:mine|cannot be shown)|^mine$|^Symbol\(mine\)$|^a value that cannot be shown$/,
          ),
        ]);
      expect(reported).toEqual(expected);
      expect(unhandled).toEqual([]);
    },
  );
});

function raise(value: unknown): never {
  throw value;
}

const others = Object.values(allowed['functions whose result is not used, and that are no listeners']).flat();

test('every function of the public types whose result is not used has its row above', () => {
  const found = [...publicNames]
    .filter((place) => !place.startsWith('core/protocol/v'))
    .flatMap(declarationsOf)
    .flatMap(([name, declaration]) => functionsWithoutResult(declaration, name));
  expect(found.length).toBeGreaterThan(20);
  expect([...new Set(found)].sort()).toEqual([...Object.keys(listeners), ...others].sort());
});

const unusedResult = /^(?:void|unknown|void \| Promise<void>|Promise<void> \| void)$/;

function functionsWithoutResult(node: ts.Node, place: string): readonly string[] {
  if (ts.isClassDeclaration(node)) return [];
  // An optional method is one that the editor implements.
  const isPassed = ts.isFunctionTypeNode(node) || (ts.isMethodSignature(node) && node.questionToken);
  if (isPassed && node.type && unusedResult.test(node.type.getText())) return [place];
  const found: string[] = [];
  const visit = (part: ts.Node) => {
    const isNamed = ts.isPropertySignature(part) || ts.isMethodSignature(part) || ts.isParameter(part);
    found.push(...functionsWithoutResult(part, isNamed ? `${place}.${part.name.getText()}` : place));
  };
  // What a function returns is not passed by the editor.
  if (ts.isFunctionLike(node)) node.parameters.forEach(visit);
  else ts.forEachChild(node, visit);
  return found;
}
