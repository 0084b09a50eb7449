import { inject, onTestFinished } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import { type Answer, noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import type { TransportName } from './transports/names.ts';
import { scriptedAgentOver } from './transports/table.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The transport of {@link connectTo}. Default: memory. `vitest.config.ts` has a project for each other one. */
    readonly transport?: TransportName;
  }
}

export const dialectNames: readonly DialectName[] = ['v1', 'v2-markers', 'v2-baseline'];

/** The method that replays the history. */
export const loadMethod = (dialect: DialectName) =>
  dialect === 'v2-baseline' ? 'session/resume' : 'session/load';

const info = { name: 'scripted', version: '1.0.0' };

/** Capabilities that have the same form in both versions. */
const ofSessions = {
  delete: {},
  additionalDirectories: {},
  fork: {},
  options: {},
  archive: {},
  status: {},
  title: {},
  systemPrompt: { mode: { override: {} } },
};

/** `markers`: those of the methods that each agent of the baseline has. */
const everythingInVersion2 = (markers: JsonObject): JsonObject => ({
  protocolVersion: 2,
  info,
  capabilities: {
    session: {
      ...markers,
      ...ofSessions,
      inject: { modes: ['queue', 'steer'], steerInStream: ['finish'] },
      prompt: { image: {}, audio: {}, embeddedContext: {}, skill: { inline: {} } },
      mcp: { stdio: {}, http: {}, acp: {}, _meta: { _pipe: {} } },
    },
    auth: { status: {} },
    providers: {},
  },
  authMethods: [{ type: 'agent', methodId: 'key', name: 'API key' }],
});

/** An `initialize` result of each dialect in which everything that the dialect knows is advertised. */
export const everything: Readonly<Record<DialectName, JsonObject>> = {
  v1: {
    protocolVersion: 1,
    agentInfo: info,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true, acp: true },
      sessionCapabilities: { ...ofSessions, list: {}, resume: {}, close: {} },
      auth: { logout: {}, status: {} },
      providers: {},
    },
    authMethods: [{ id: 'key', name: 'API key' }],
    _meta: { steering: { supported: true } },
  },
  'v2-markers': everythingInVersion2({ load: {}, resume: {}, close: {}, list: {} }),
  'v2-baseline': everythingInVersion2({}),
};

/** An `initialize` result of each dialect in which nothing optional is advertised. */
export const nothing: Readonly<Record<DialectName, JsonObject>> = {
  v1: { protocolVersion: 1, agentCapabilities: {} },
  'v2-markers': { protocolVersion: 2, info, capabilities: { session: { load: null } } },
  'v2-baseline': { protocolVersion: 2, info, capabilities: {} },
};

/**
 * Whether a request for a session that is not open reaches the client of {@link connectTo}. A server of streamable HTTP
 * keeps it until somebody reads the stream of that session.
 */
export const hasOneStream = () => inject('transport') !== 'streamable-http';

export interface Connected {
  readonly agent: ScriptedAgent;
  readonly connection: ClientConnection;
  readonly diagnostics: Diagnostic[];
}

/** What a scripted agent does with the calls of the client. */
export interface AgentScript {
  readonly script?: (agent: ScriptedAgent) => unknown;
  /** The answer to each method. */
  readonly answers?: Readonly<Record<string, Answer | typeof noAnswer>>;
}

/** An answer with an error. */
export const refuses =
  (...error: ConstructorParameters<typeof RequestError>) =>
  (): never => {
    throw new RequestError(...error);
  };

/** Gives an agent its script. */
export function follow(agent: ScriptedAgent, { script, answers = {} }: AgentScript): void {
  for (const [method, answer] of Object.entries(answers)) {
    agent.on(method, answer === noAnswer ? () => noAnswer : answer);
  }
  script?.(agent);
}

/** Connects to a scripted agent that answers `initialize` with this, and closes when the test is over. */
export async function connectTo(
  initializeResult: JsonObject,
  options: Partial<ConnectOptions> & AgentScript = {},
): Promise<Connected> {
  const { script: _script, answers: _answers, ...rest } = options;
  const agent = await scriptedAgentOver(inject('transport') ?? 'memory');
  agent.on('initialize', initializeResult);
  follow(agent, options);
  const diagnostics: Diagnostic[] = [];
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'test', version: '0.0.0' },
    onDiagnostic: (diagnostic) => {
      // Each connection to the earlier draft of version 2 reports it.
      if (diagnostic.rule !== 'protocol.dialect_assumed') diagnostics.push(diagnostic);
    },
    ...rest,
  });
  onTestFinished(() => connection.close());
  return { agent, connection, diagnostics };
}

/**
 * Resolves when everything that goes on in memory has come to rest: what is sent in memory arrives within a few turns
 * of the event loop.
 */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
}

export const text = (said: string) => ({ type: 'text' as const, text: said });
