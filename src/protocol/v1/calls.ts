import { type CallTable, call, type McpServer, type OpenedSession } from '../calls.ts';
import { listParams, nothing, openParams, present, serverParams, sessionParams } from '../encode.ts';
import * as authentication from './authentication.ts';
import { liftConfigOption } from './lift.ts';
import * as turn from './prompt-turn.ts';
import * as config from './session-config-options.ts';
import { deleteSession } from './session-delete.ts';
import { listSessions } from './session-list.ts';
import { setMode } from './session-modes.ts';
import * as setup from './session-setup.ts';
import * as unstable from './unstable.ts';
import * as providers from './unstable-providers.ts';

const encodeOpen = (params: Parameters<typeof openParams>[0]) => openParams(params, encodeServer);

/** The stdio transport is the one without a `type`. */
function encodeServer(server: McpServer) {
  const { type = 'stdio' } = server;
  return type === 'stdio' ? serverParams(server) : { type, ...serverParams(server) };
}

function decodeOpened(result: setup.LoadSessionResponse & { readonly sessionId?: string }): OpenedSession {
  const { sessionId, modes, configOptions } = result;
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(modes !== undefined && { modes }),
    ...(configOptions !== undefined && {
      configOptions: configOptions?.map(liftConfigOption) ?? null,
    }),
  };
}

/** How version 1 makes each call. */
export const calls: CallTable = {
  newSession: call({ descriptor: setup.newSession, encode: encodeOpen, decode: decodeOpened }),
  loadSession: call({ descriptor: setup.loadSession, encode: encodeOpen, decode: decodeOpened }),
  resumeSession: call({ descriptor: setup.resumeSession, encode: encodeOpen, decode: decodeOpened }),
  forkSession: call({ descriptor: unstable.forkSession, encode: encodeOpen, decode: decodeOpened }),
  listSessions: call({
    descriptor: listSessions,
    encode: listParams,
    decode: ({ sessions, nextCursor }) => ({ sessions, ...(nextCursor != null && { nextCursor }) }),
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
    descriptor: turn.prompt,
    encode: ({ sessionId, prompt, _meta }) => present({ sessionId, prompt, _meta }),
    decode: ({ stopReason, usage }) => ({ stopReason, ...(usage && { usage }) }),
  }),
  cancel: call({ descriptor: turn.cancel, encode: sessionParams, decode: () => undefined }),
  setMode: call({
    descriptor: setMode,
    encode: ({ sessionId, modeId }) => ({ sessionId, modeId }),
    decode: nothing,
  }),
  setConfigOption: call({
    descriptor: config.setConfigOption,
    encode: ({ sessionId, configId, value }) =>
      typeof value === 'boolean'
        ? { sessionId, configId, type: 'boolean', value }
        : { sessionId, configId, value },
    decode: ({ configOptions }) =>
      configOptions ? { configOptions: configOptions.map(liftConfigOption) } : {},
  }),
  cancelToolCall: undefined,
  cancelTerminal: undefined,
  login: call({
    descriptor: authentication.authenticate,
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
