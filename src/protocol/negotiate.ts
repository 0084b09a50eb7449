import { isJsonObject, type JsonObject } from '../json.ts';
import type { Implementation } from '../model/session.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { v1 } from './v1/index.ts';
import { v2Baseline, v2Markers } from './v2/index.ts';

/** What the client can do for the agent, in no particular version. */
export interface ClientFeatures {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  readonly terminals: boolean;
  readonly terminalLogin: boolean;
  readonly elicitForm: boolean;
  readonly elicitUrl: boolean;
}

const dialects: Readonly<Record<DialectName, Dialect>> = {
  v1,
  'v2-markers': v2Markers,
  'v2-baseline': v2Baseline,
};

/** The dialect of this name. */
export function dialectNamed(name: DialectName): Dialect {
  return dialects[name];
}

/** The versions of the protocol that this library speaks. */
export type ProtocolVersion = 1 | 2;

type Advertise = (info: Implementation, features: ClientFeatures) => JsonObject;

/** How each version's `initialize` request says who the client is and what it can do. */
const advertisements: Readonly<Record<ProtocolVersion, Advertise>> = {
  1: (info, features) => ({
    clientInfo: plain(info),
    clientCapabilities: {
      fs: { readTextFile: features.readTextFile, writeTextFile: features.writeTextFile },
      terminal: features.terminals,
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      ...(features.terminalLogin && { auth: { terminal: true } }),
      ...elicitation(features),
    },
  }),
  2: (info, features) => ({
    info: plain(info),
    capabilities: {
      ...(features.terminalLogin && { auth: { terminal: {} } }),
      ...elicitation(features),
    },
  }),
};

function elicitation({ elicitForm, elicitUrl }: ClientFeatures): JsonObject {
  if (!elicitForm && !elicitUrl) return {};
  return { elicitation: { ...(elicitForm && { form: {} }), ...(elicitUrl && { url: {} }) } };
}

function plain({ name, version, title }: Implementation): JsonObject {
  return { name, version, ...(title != null && { title }) };
}

/**
 * The `initialize` request. Offered both versions, it is a superset that either reads its own half of: an agent
 * that only speaks version 1 would otherwise see no capabilities at all.
 *
 * @see https://agentclientprotocol.com/protocol/initialization
 */
export function initializeParams(
  offered: readonly ProtocolVersion[],
  info: Implementation,
  features: ClientFeatures,
): JsonObject {
  const halves = offered.map((version) => advertisements[version](info, features));
  return Object.assign({ protocolVersion: Math.max(...offered) }, ...halves);
}

/** The dialect an agent speaks and what is odd about its answer, or why there is none. */
export type Negotiated =
  | { readonly dialect: Dialect; readonly oddity?: string }
  | { readonly dialect: undefined };

const markerKeys = ['load', 'resume', 'close', 'list'] as const;

/**
 * Decides which dialect an agent speaks, once, from its raw `initialize` result: by the shape before the number,
 * because an agent in the field echoes whatever number it is asked for.
 */
export function negotiate(result: JsonObject, offered: readonly ProtocolVersion[]): Negotiated {
  const version = result['protocolVersion'];
  const dialect = recognize(result, version);
  if (!dialect || !offered.includes(dialect.protocolVersion)) return { dialect: undefined };
  if (dialect.protocolVersion === version) return { dialect };
  return {
    dialect,
    oddity: `The agent says it speaks version ${JSON.stringify(version)}, and answered in the shape of version ${dialect.protocolVersion}, which is taken to be meant.`,
  };
}

function recognize(result: JsonObject, version: unknown): Dialect | undefined {
  const hasV1Body = result['agentCapabilities'] !== undefined && result['capabilities'] === undefined;
  if (hasV1Body || version === 1) return v1;
  if (version !== 2) return undefined;
  const capabilities = result['capabilities'];
  const session = isJsonObject(capabilities) ? capabilities['session'] : undefined;
  const hasMarkers = isJsonObject(session) && markerKeys.some((key) => Object.hasOwn(session, key));
  return hasMarkers || !isJsonObject(result['info']) ? v2Markers : v2Baseline;
}
