import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { encoderV1 } from './encode-v1.ts';
import { encoderV2 } from './encode-v2.ts';
import type { Encoder } from './encoder.ts';
import type { Method } from './methods.ts';
import {
  closeSession,
  deleteSession,
  listSessions,
  loadSession,
  newSession,
  requiringMcpServers,
  resumeSession,
  resumeSessionFrom,
  setConfigOption,
  setMode,
  takingMcpServers,
} from './methods.ts';
import { readObject, readString } from './params.ts';
import { promptV1, promptV2 } from './prompt.ts';
import { rpcErrors } from './rpc-error.ts';

/** One way to speak the protocol. */
export interface Dialect {
  readonly protocolVersion: 1 | 2;
  /** The rest of the answer to `initialize`. */
  readonly description: JsonObject;
  readonly methods: ReadonlyMap<string, Method>;
  /** Throws where the request is not in the shape of this dialect. */
  encoder(initialize: JsonObject): Encoder;
}

export type DialectName = 'v1' | 'v2' | 'v2-markers';

const info = { name: 'acp-demo-agent', title: 'ACP demo agent', version: '1.0.0' };

const shared: readonly (readonly [string, Method])[] = [
  ['session/list', listSessions],
  ['session/close', closeSession],
  ['session/delete', deleteSession],
];

/** @see https://agentclientprotocol.com/protocol/v1/initialization */
const v1: Dialect = {
  protocolVersion: 1,
  description: {
    agentInfo: info,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
    },
    authMethods: [],
  },
  methods: new Map([
    ...shared,
    ['session/new', requiringMcpServers(newSession)],
    ['session/load', requiringMcpServers(loadSession('chunks'))],
    ['session/resume', takingMcpServers(resumeSession)],
    ['session/prompt', promptV1],
    ['session/set_mode', setMode],
    ['session/set_config_option', setConfigOption('untyped')],
  ]),
  encoder: ({ clientCapabilities }) => {
    const options = at(at(clientCapabilities, 'session'), 'configOptions');
    return encoderV1({ booleanOptions: isJsonObject(at(options, 'boolean')) });
  },
};

const sessionCapabilities = {
  prompt: { image: {}, embeddedContext: {} },
  mcp: { stdio: {}, http: {} },
  delete: {},
  additionalDirectories: {},
};

/** @see https://agentclientprotocol.com/protocol/v2/initialization */
const v2: Dialect = {
  protocolVersion: 2,
  description: { info, capabilities: { session: sessionCapabilities }, authMethods: [] },
  methods: new Map([
    ...shared,
    ['session/new', takingMcpServers(newSession)],
    ['session/resume', takingMcpServers(resumeSessionFrom('chunks'))],
    ['session/prompt', promptV2],
    ['session/set_config_option', setConfigOption('typed')],
  ]),
  encoder: (initialize) => {
    const client = readObject(initialize['info'], 'info');
    readString(client, 'name', 'info.name');
    readString(client, 'version', 'info.version');
    return encoderV2;
  },
};

/** The draft of version 2 in which each of these methods was advertised for itself, and a session was loaded. */
const v2Markers: Dialect = {
  protocolVersion: 2,
  description: {
    info,
    capabilities: { session: { ...sessionCapabilities, load: {}, resume: {}, close: {}, list: {} } },
    authMethods: [],
  },
  methods: new Map([
    ...shared,
    ['session/new', takingMcpServers(newSession)],
    ['session/load', takingMcpServers(loadSession('whole'))],
    ['session/resume', takingMcpServers(resumeSession)],
    ['session/prompt', promptV2],
    ['session/set_config_option', setConfigOption('untyped')],
  ]),
  encoder: () => encoderV2,
};

/** The dialects on offer, by the name that the user gives. Without one, the client's version decides. */
const dialects: Readonly<Record<DialectName, Dialect>> = { v1, v2, 'v2-markers': v2Markers };

export const dialectNames: readonly string[] = Object.keys(dialects);

export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialects, name);
}

/** The highest version on offer that is not above the one asked for. */
export function negotiate(asked: JsonValue | undefined, only: DialectName | undefined): Dialect {
  const offered = only ? [dialects[only]] : [v2, v1];
  if (typeof asked !== 'number' || !Number.isInteger(asked) || asked < 0 || asked > 65535) {
    throw rpcErrors.invalidParams('protocolVersion', 'an integer from 0 to 65535');
  }
  const dialect = offered.find(({ protocolVersion }) => protocolVersion <= asked);
  const supported = offered.map(({ protocolVersion }) => protocolVersion).sort();
  if (!dialect) throw rpcErrors.unsupportedVersion(asked, supported);
  return dialect;
}

function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
