import { isJsonObject, type JsonObject, type JsonValue, omitNullish } from '../base/json.ts';
import type { Implementation } from '../model/session.ts';
import type { DialectName } from './dialect.ts';
import { omitUndefined } from './encode.ts';
import { type NewerCapabilities, withNewer } from './newer-capabilities.ts';

const everything = {
  readTextFile: true,
  writeTextFile: true,
  terminals: true,
  terminalLogin: true,
  elicitForm: true,
  elicitUrl: true,
  promptSuggestions: true,
  cursors: true,
  skills: true,
};

/** The client capabilities, in the version-neutral model. */
export type ClientFeatures = Readonly<Record<keyof typeof everything, boolean>>;

/** A version of the protocol that this library supports. */
export type ProtocolVersion = 1 | 2;

/** The version that each dialect is a form of. */
export const versionOf: Readonly<Record<DialectName, ProtocolVersion>> = {
  v1: 1,
  'v2-markers': 2,
  'v2-baseline': 2,
};

/** Capabilities of the client beyond those that the handlers determine. */
export interface ClientCapabilityOptions {
  readonly _meta?: JsonObject | undefined;
  readonly [name: string]: JsonValue | undefined;
}

/** What the `initialize` request contains beyond the standard capabilities. */
export interface InitializeExtras {
  /** The `_meta` of the request. */
  readonly meta?: JsonObject | undefined;
  /**
   * Its `_meta` is merged into the client's `_meta` capabilities and replaces default values. Other members are those
   * that this library does not know.
   */
  readonly clientCapabilities?: ClientCapabilityOptions | undefined;
  /** The extension methods that the client handles, such as `_example.com/status`. They are advertised in `_meta`. */
  readonly extensions?: readonly string[] | undefined;
}

type Advertise = (features: ClientFeatures, meta: JsonObject) => JsonObject;

/** The capabilities of the client in each version. */
const advertise: Readonly<Record<ProtocolVersion, Advertise>> = {
  1: (features, meta) => ({
    fs: { readTextFile: features.readTextFile, writeTextFile: features.writeTextFile },
    terminal: features.terminals,
    session: {
      configOptions: { boolean: {} },
      notices: {},
      compaction: {},
      ...(features.promptSuggestions && { promptSuggestions: {} }),
      ...(features.cursors && { cursors: {} }),
    },
    plan: {},
    subagents: {},
    ...(features.terminalLogin && { auth: { terminal: true } }),
    ...elicitation(features),
    _meta: {
      // Agents that run commands themselves then send the output while a command runs.
      terminal_output: true,
      ...(features.terminalLogin && { 'terminal-auth': true }),
      ...meta,
    },
  }),
  2: (features, meta) => ({
    ...(features.terminalLogin && { auth: { terminal: {} } }),
    ...elicitation(features),
    ...sessionParts(features),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }),
};

function elicitation({ elicitForm, elicitUrl }: ClientFeatures): JsonObject {
  if (!elicitForm && !elicitUrl) return {};
  return { elicitation: { ...(elicitForm && { form: {} }), ...(elicitUrl && { url: {} }) } };
}

/** What a client of version 2 shows of a session, beyond what every client shows. */
function sessionParts({ promptSuggestions, skills }: ClientFeatures): JsonObject {
  const session = {
    ...(promptSuggestions && { promptSuggestions: {} }),
    ...(skills && { commands: { skill: {} } }),
  };
  return Object.keys(session).length > 0 ? { session } : {};
}

const extensionMethod = /^_([^/]+)(?:\/(.+))?$/;

/**
 * The extension methods as the specification advertises them: by domain, then by name.
 *
 * @see https://agentclientprotocol.com/protocol/extensibility#advertising-custom-capabilities
 */
function extensionsMeta(methods: readonly string[]): JsonObject {
  const domains: Record<string, Record<string, boolean>> = {};
  for (const method of methods) {
    const [, domain, name] = extensionMethod.exec(method) ?? [];
    if (domain === undefined) continue;
    domains[domain] = { ...domains[domain], ...(name !== undefined && { [name]: true }) };
  }
  return domains;
}

/** Combines the keys of two objects. If both have an object at a key, its keys are combined as well. */
function mergeMeta(base: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...base, ...over };
  for (const [key, value] of Object.entries(over)) {
    const other = base[key];
    if (isJsonObject(value) && isJsonObject(other)) merged[key] = { ...other, ...value };
  }
  return merged;
}

/**
 * The parameters of `initialize`. If both versions are offered, they contain the fields of both: an agent that only
 * supports version 1 would otherwise see no capabilities.
 *
 * @see https://agentclientprotocol.com/protocol/initialization
 */
export function initializeParams(
  offered: readonly ProtocolVersion[],
  { name, version, title, _meta }: Implementation,
  features: ClientFeatures,
  { meta, clientCapabilities = {}, extensions = [] }: InitializeExtras = {},
): JsonObject {
  const capabilitiesMeta = mergeMeta(extensionsMeta(extensions), clientCapabilities._meta ?? {});
  const client = omitNullish({ name, version, title, _meta });
  const capabilities = (of: ProtocolVersion) =>
    withMembers(of, advertise[of](features, capabilitiesMeta), clientCapabilities).capabilities;
  return {
    protocolVersion: Math.max(...offered),
    ...(offered.includes(2) && { info: client, capabilities: capabilities(2) }),
    ...(offered.includes(1) && { clientInfo: client, clientCapabilities: capabilities(1) }),
    ...(meta && { _meta: meta }),
  };
}

/** The client's capabilities in one version, with the members that this library does not know. */
function withMembers(version: ProtocolVersion, advertised: JsonObject, options: ClientCapabilityOptions) {
  const { _meta, ...members } = options;
  // What is left is JSON.
  return withNewer(advertised, advertise[version](everything, {}), omitUndefined(members) as JsonObject);
}

/**
 * The capabilities that the client would advertise and this library does not know, as dotted paths, each once.
 *
 * @throws {@link InvalidParamsError} if one of them is known.
 */
export function newerCapabilities(
  offered: readonly ProtocolVersion[],
  options: ClientCapabilityOptions = {},
): NewerCapabilities['paths'] {
  const paths = offered.flatMap(
    (version) => withMembers(version, advertise[version](everything, {}), options).paths,
  );
  return [...new Set(paths)];
}

/** The dialect of an agent, or `undefined` if there is no common version. */
export type Negotiated =
  | {
      readonly dialect: DialectName;
      /** Set if the version number does not match the fields of the result. */
      readonly mismatch?: string;
      /** What the dialect was guessed from, as one sentence. Absent if the result follows version 2 as it is in Preview. */
      readonly evidence?: string;
    }
  | { readonly dialect: undefined };

/**
 * Selects the dialect of an agent from its `initialize` result. The result of version 1 is recognized by its fields,
 * because some agents echo the number of the request.
 */
export function negotiate(result: JsonObject, offered: readonly ProtocolVersion[]): Negotiated {
  const version = offered.find((candidate) => candidate === result['protocolVersion']);
  if (version === undefined) return { dialect: undefined };
  const hasV1Fields = result['agentCapabilities'] !== undefined && result['capabilities'] === undefined;
  if (version === 2 && !hasV1Fields) {
    const evidence = evidenceOfMarkers(result);
    return evidence === undefined ? { dialect: 'v2-baseline' } : { dialect: 'v2-markers', evidence };
  }
  if (!offered.includes(1)) return { dialect: undefined };
  if (version === 1) return { dialect: 'v1' };
  const mismatch = 'The agent answered protocol version 2 with the fields of version 1. Version 1 is used.';
  return { dialect: 'v1', mismatch };
}

/** The capabilities of a session that only the earlier draft of version 2 has. */
const markerKeys = ['load', 'resume', 'close', 'list'] as const;

/** What shows the earlier draft of version 2, which has the same version number. `undefined`: nothing does. */
function evidenceOfMarkers({ capabilities, info }: JsonObject): string | undefined {
  const session = isJsonObject(capabilities) ? capabilities['session'] : undefined;
  const markers = markerKeys.filter((key) => isJsonObject(session) && Object.hasOwn(session, key));
  if (markers.length > 0) {
    return `capabilities.session has ${markers.join(', ')}, which only the earlier draft has.`;
  }
  return isJsonObject(info) ? undefined : 'The result has no info, which only the earlier draft allows.';
}
