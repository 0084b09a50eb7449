import { omitNullish } from '../../base/json.ts';
import type { McpServerConfig } from '../../model/mcp-server.ts';
import type { OpenedSession } from '../../model/opening.ts';
import { sharedCalls } from '../both/calls.ts';
import { type CallTable, type ConfigValue, call, command } from '../calls.ts';
import { omitUndefined, openParams, optionsParams, promptParams, serverParams } from '../encode.ts';
import type { AgentMethod } from '../method.ts';
import { steeringCall } from '../steering.ts';
import { normalizeUsage } from '../usage.ts';
import * as methods from './methods.ts';
import { normalizeConfigOption } from './normalize.ts';
import { PromptRequest } from './prompt-turn.ts';
import { setModel } from './session-models.ts';
import type { LoadSessionResponse } from './session-setup.ts';

const encodeOpen = (params: Parameters<typeof openParams>[0]) =>
  openParams(params, encodeServer, encodeValue);

/** Only a boolean has a `type`. */
function encodeValue<T extends { readonly value: ConfigValue }>(params: T) {
  return typeof params.value === 'boolean' ? { ...params, type: 'boolean' } : params;
}

/** The stdio transport has no `type`. */
function encodeServer(server: McpServerConfig) {
  const { type = 'stdio' } = server;
  return type === 'stdio' ? serverParams(server) : { type, ...serverParams(server) };
}

function decodeOpened(result: LoadSessionResponse & { readonly sessionId?: string }): OpenedSession {
  const { sessionId, modes, configOptions, models, _meta } = result;
  return omitUndefined({
    sessionId,
    modes,
    configOptions: configOptions ? configOptions.map(normalizeConfigOption) : configOptions,
    models,
    _meta: _meta ?? undefined,
  });
}

type Opening<P> = AgentMethod<P, Parameters<typeof decodeOpened>[0]>;

const opening = <P>(descriptor: Opening<P>) => call({ descriptor, encode: encodeOpen, decode: decodeOpened });

/** The calls of version 1. */
export const calls: CallTable = {
  newSession: opening(methods.newSession),
  loadSession: opening(methods.loadSession),
  resumeSession: opening(methods.resumeSession),
  forkSession: opening(methods.forkSession),
  sessionOptions: call({
    descriptor: methods.sessionOptions,
    encode: optionsParams,
    decode: ({ modes = null, configOptions, _meta }) => ({
      configOptions: configOptions?.map(normalizeConfigOption) ?? [],
      modes,
      models: null,
      commands: [],
      ...omitNullish({ _meta }),
    }),
  }),
  ...sharedCalls,
  prompt: call({
    descriptor: methods.prompt,
    encode: promptParams,
    decode: ({ stopReason, usage, _meta }) =>
      omitNullish({ stopReason, usage: normalizeUsage(usage), _meta }),
  }),
  steer: steeringCall(PromptRequest),
  inject: undefined,
  revoke: undefined,
  setMode: command(methods.setMode),
  setModel: command(setModel),
  setConfigOption: call({
    descriptor: methods.setConfigOption,
    encode: encodeValue,
    decode: ({ configOptions, _meta }) =>
      omitNullish({ configOptions: configOptions?.map(normalizeConfigOption), _meta }),
  }),
  cancelToolCall: undefined,
  cancelTerminal: undefined,
  login: command(methods.authenticate),
  logout: command(methods.logout),
};
