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
import { PromptRequest } from './prompt-lifecycle.ts';
import { injectMessage, revokeMessage } from './session-inject.ts';
import type { ResumeSessionResponse } from './session-setup.ts';

const encodeOpen = (params: Parameters<typeof openParams>[0]) =>
  openParams(params, encodeServer, encodeValue);

function encodeValue<T extends { readonly value: ConfigValue }>(params: T) {
  return { ...params, type: typeof params.value === 'boolean' ? 'boolean' : 'id' };
}

function encodeServer(server: McpServerConfig) {
  return { type: server.type ?? 'stdio', ...serverParams(server) };
}

function decodeOpened(result: ResumeSessionResponse & { readonly sessionId?: string }): OpenedSession {
  const { sessionId, configOptions, availableCommands, _meta } = result;
  return omitNullish({ sessionId, configOptions, commands: availableCommands, _meta });
}

type Opening<P> = AgentMethod<P, Parameters<typeof decodeOpened>[0]>;

const opening = <P>(descriptor: Opening<P>) => call({ descriptor, encode: encodeOpen, decode: decodeOpened });

/** The calls of version 2. */
export const baselineCalls: CallTable = {
  newSession: opening(methods.newSession),
  loadSession: call({
    descriptor: methods.resumeWithReplay,
    encode: (params) => ({ ...encodeOpen(params), replayFrom: { type: 'start' } }),
    decode: decodeOpened,
  }),
  resumeSession: opening(methods.resumeSession),
  forkSession: opening(methods.forkSession),
  sessionOptions: call({
    descriptor: methods.sessionOptions,
    encode: optionsParams,
    decode: ({ configOptions = [], availableCommands = [], _meta }) => ({
      configOptions,
      modes: null,
      models: null,
      commands: availableCommands,
      ...omitNullish({ _meta }),
    }),
  }),
  ...sharedCalls,
  prompt: call({
    descriptor: methods.prompt,
    encode: ({ idempotencyKey, ...params }) => omitUndefined({ ...promptParams(params), idempotencyKey }),
    decode: ({ stopReason, messageId, usage, _meta }) =>
      omitNullish({ stopReason, messageId, usage: normalizeUsage(usage), _meta }),
  }),
  steer: steeringCall(PromptRequest),
  inject: call({
    descriptor: injectMessage,
    encode: ({ sessionId, prompt, _meta }) =>
      omitUndefined({ sessionId, mode: 'steer', content: prompt, _meta }),
    decode: ({ messageId }) => ({ outcome: 'injected', messageId }),
  }),
  revoke: command(revokeMessage),
  setMode: undefined,
  setModel: undefined,
  setConfigOption: call({
    descriptor: methods.setConfigOption,
    encode: encodeValue,
    decode: ({ configOptions, _meta }) => omitNullish({ configOptions, _meta }),
  }),
  cancelToolCall: command(methods.cancelToolCall),
  cancelTerminal: command(methods.cancelTerminal),
  login: command(methods.login),
  logout: command(methods.logout),
};

/** The calls of the earlier draft, which has a separate method for loading. */
export const markerCalls: CallTable = { ...baselineCalls, loadSession: opening(methods.loadSession) };
