import {
  authStatus,
  type CallTable,
  call,
  command,
  type McpServer,
  nothing,
  type OpenedSession,
  query,
} from '../calls.ts';
import { listParams, openParams, promptParams, providerParams, serverParams } from '../encode.ts';
import type { AgentMethod } from '../method.ts';
import * as unstable from '../unstable.ts';
import * as providers from '../unstable-providers.ts';
import * as authentication from './authentication.ts';
import { normalizeConfigOption } from './normalize.ts';
import * as turn from './prompt-turn.ts';
import * as config from './session-config-options.ts';
import { deleteSession } from './session-delete.ts';
import { listSessions } from './session-list.ts';
import { setMode } from './session-modes.ts';
import * as setup from './session-setup.ts';
import { forkSession, sessionStatus } from './unstable.ts';

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
      configOptions: configOptions?.map(normalizeConfigOption) ?? null,
    }),
  };
}

type Opening<P> = AgentMethod<P, Parameters<typeof decodeOpened>[0]>;

const opening = <P>(descriptor: Opening<P>) => call({ descriptor, encode: encodeOpen, decode: decodeOpened });

/** How version 1 makes each call. */
export const calls: CallTable = {
  newSession: opening(setup.newSession),
  loadSession: opening(setup.loadSession),
  resumeSession: opening(setup.resumeSession),
  forkSession: opening(forkSession),
  listSessions: call({
    descriptor: listSessions,
    encode: listParams,
    decode: ({ sessions, nextCursor }) => ({ sessions, ...(nextCursor != null && { nextCursor }) }),
  }),
  closeSession: command(setup.closeSession),
  deleteSession: command(deleteSession),
  archiveSession: command(unstable.archiveSession),
  unarchiveSession: command(unstable.unarchiveSession),
  sessionStatus: query(sessionStatus),
  setSessionTitle: query(unstable.setSessionTitle),
  prompt: call({
    descriptor: turn.prompt,
    encode: promptParams,
    decode: ({ stopReason, usage }) => ({ stopReason, ...(usage && { usage }) }),
  }),
  cancel: command(turn.cancel),
  setMode: command(setMode),
  setConfigOption: call({
    descriptor: config.setConfigOption,
    encode: ({ sessionId, configId, value }) =>
      typeof value === 'boolean'
        ? { sessionId, configId, type: 'boolean', value }
        : { sessionId, configId, value },
    decode: ({ configOptions }) =>
      configOptions ? { configOptions: configOptions.map(normalizeConfigOption) } : {},
  }),
  cancelToolCall: undefined,
  cancelTerminal: undefined,
  login: command(authentication.authenticate),
  logout: command(authentication.logout),
  authStatus: call({ descriptor: unstable.authStatus, encode: () => ({}), decode: authStatus }),
  listProviders: query(providers.listProviders),
  setProvider: call({ descriptor: providers.setProvider, encode: providerParams, decode: nothing }),
  disableProvider: command(providers.disableProvider),
};
