import { omitNullish } from '../../base/json.ts';
import type { McpServerConfig } from '../../model/mcp-server.ts';
import type { OpenedSession } from '../../model/opening.ts';
import { sharedCalls } from '../both/calls.ts';
import { type CallTable, type ConfigValue, call, command } from '../calls.ts';
import { omitUndefined, openParams, optionsParams, promptParams, serverParams } from '../encode.ts';
import type { AgentMethod } from '../method.ts';
import { steeringCall } from '../steering.ts';
import { normalizeUsage } from '../usage.ts';
import * as authentication from './authentication.ts';
import { normalizeConfigOption } from './normalize.ts';
import * as turn from './prompt-turn.ts';
import * as config from './session-config-options.ts';
import { setModel } from './session-models.ts';
import { setMode } from './session-modes.ts';
import { sessionOptions } from './session-options.ts';
import * as setup from './session-setup.ts';
import { forkSession } from './unstable.ts';

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

function decodeOpened(result: setup.LoadSessionResponse & { readonly sessionId?: string }): OpenedSession {
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
  newSession: opening(setup.newSession),
  loadSession: opening(setup.loadSession),
  resumeSession: opening(setup.resumeSession),
  forkSession: opening(forkSession),
  sessionOptions: call({
    descriptor: sessionOptions,
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
    descriptor: turn.prompt,
    encode: promptParams,
    decode: ({ stopReason, usage, _meta }) =>
      omitNullish({ stopReason, usage: normalizeUsage(usage), _meta }),
  }),
  steer: steeringCall(turn.PromptRequest),
  inject: undefined,
  revoke: undefined,
  cancel: command(turn.cancel),
  setMode: command(setMode),
  setModel: command(setModel),
  setConfigOption: call({
    descriptor: config.setConfigOption,
    encode: encodeValue,
    decode: ({ configOptions, _meta }) =>
      omitNullish({ configOptions: configOptions?.map(normalizeConfigOption), _meta }),
  }),
  cancelToolCall: undefined,
  cancelTerminal: undefined,
  login: command(authentication.authenticate),
  logout: command(authentication.logout),
};
