import type { SessionInfo as NeutralInfo } from '../../model/session.ts';
import { type CallTable, call, type McpServer, type OpenedSession } from '../calls.ts';
import { listParams, nothing, openParams, present, serverParams, sessionParams } from '../encode.ts';
import * as authentication from './authentication.ts';
import { liftCommand } from './lift.ts';
import * as lifecycle from './prompt-lifecycle.ts';
import * as config from './session-config-options.ts';
import { deleteSession } from './session-delete.ts';
import { listSessions, type SessionInfo } from './session-list.ts';
import * as setup from './session-setup.ts';
import * as tools from './tool-calls.ts';
import * as unstable from './unstable.ts';
import * as providers from './unstable-providers.ts';

const encodeOpen = (params: Parameters<typeof openParams>[0]) => openParams(params, encodeServer);

function encodeServer(server: McpServer) {
  return { type: server.type ?? 'stdio', ...serverParams(server) };
}

function decodeOpened(result: setup.ResumeSessionResponse & { readonly sessionId?: string }): OpenedSession {
  const { sessionId, configOptions, availableCommands } = result;
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(configOptions && { configOptions }),
    ...(availableCommands && { commands: availableCommands.map(liftCommand) }),
  };
}

function decodeInfo({ additionalDirectories, ...info }: SessionInfo): NeutralInfo {
  return additionalDirectories ? { ...info, additionalDirectories } : info;
}

/** How version 2 makes each call. */
export const baselineCalls: CallTable = {
  newSession: call({ descriptor: setup.newSession, encode: encodeOpen, decode: decodeOpened }),
  loadSession: call({
    descriptor: setup.resumeWithReplay,
    encode: (params) => ({ ...encodeOpen(params), replayFrom: { type: 'start' } }),
    decode: decodeOpened,
  }),
  resumeSession: call({ descriptor: setup.resumeSession, encode: encodeOpen, decode: decodeOpened }),
  forkSession: call({ descriptor: unstable.forkSession, encode: encodeOpen, decode: decodeOpened }),
  listSessions: call({
    descriptor: listSessions,
    encode: listParams,
    decode: ({ sessions, nextCursor }) => ({
      sessions: sessions.map(decodeInfo),
      ...(nextCursor != null && { nextCursor }),
    }),
  }),
  closeSession: call({ descriptor: setup.closeSession, encode: sessionParams, decode: nothing }),
  deleteSession: call({ descriptor: deleteSession, encode: sessionParams, decode: nothing }),
  archiveSession: call({ descriptor: unstable.archiveSession, encode: sessionParams, decode: nothing }),
  unarchiveSession: call({ descriptor: unstable.unarchiveSession, encode: sessionParams, decode: nothing }),
  sessionStatus: call({
    descriptor: unstable.sessionStatus,
    encode: sessionParams,
    decode: ({ status }) => ({ status }),
  }),
  setSessionTitle: call({
    descriptor: unstable.setSessionTitle,
    encode: ({ sessionId, title }) => ({ sessionId, title }),
    decode: ({ title }) => ({ title }),
  }),
  prompt: call({
    descriptor: lifecycle.prompt,
    encode: ({ sessionId, prompt, _meta }) => present({ sessionId, prompt, _meta }),
    decode: ({ stopReason, messageId }) => present({ stopReason, messageId }),
  }),
  cancel: call({ descriptor: lifecycle.cancel, encode: sessionParams, decode: () => undefined }),
  setMode: undefined,
  setConfigOption: call({
    descriptor: config.setConfigOption,
    encode: ({ sessionId, configId, value }) => ({
      sessionId,
      configId,
      type: typeof value === 'boolean' ? 'boolean' : 'id',
      value,
    }),
    decode: ({ configOptions }) => (configOptions ? { configOptions } : {}),
  }),
  cancelToolCall: call({
    descriptor: tools.cancelToolCall,
    encode: ({ sessionId, toolCallId }) => ({ sessionId, toolCallId }),
    decode: nothing,
  }),
  cancelTerminal: call({
    descriptor: tools.cancelTerminal,
    encode: ({ sessionId, terminalId }) => ({ sessionId, terminalId }),
    decode: nothing,
  }),
  login: call({
    descriptor: authentication.login,
    encode: ({ methodId }) => ({ methodId }),
    decode: nothing,
  }),
  logout: call({ descriptor: authentication.logout, encode: () => ({}), decode: nothing }),
  authStatus: call({
    descriptor: unstable.authStatus,
    encode: () => ({}),
    decode: ({ state, accounts = [] }) => ({ state, accounts }),
  }),
  listProviders: call({
    descriptor: providers.listProviders,
    encode: () => ({}),
    decode: (result) => ({ providers: result.providers }),
  }),
  setProvider: call({
    descriptor: providers.setProvider,
    encode: ({ providerId, apiType, baseUrl, headers }) => present({ providerId, apiType, baseUrl, headers }),
    decode: nothing,
  }),
  disableProvider: call({
    descriptor: providers.disableProvider,
    encode: ({ providerId }) => ({ providerId }),
    decode: nothing,
  }),
};

/** The same in the draft that loaded with a method of its own. */
export const markerCalls: CallTable = {
  ...baselineCalls,
  loadSession: call({ descriptor: setup.loadSession, encode: encodeOpen, decode: decodeOpened }),
};
