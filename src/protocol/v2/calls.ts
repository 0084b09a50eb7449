import type { SessionInfo as NeutralInfo } from '../../model/session.ts';
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
import { listParams, openParams, present, promptParams, providerParams, serverParams } from '../encode.ts';
import type { AgentMethod } from '../method.ts';
import * as unstable from '../unstable.ts';
import * as providers from '../unstable-providers.ts';
import * as authentication from './authentication.ts';
import { normalizeCommand } from './normalize.ts';
import * as lifecycle from './prompt-lifecycle.ts';
import * as config from './session-config-options.ts';
import { deleteSession } from './session-delete.ts';
import { listSessions, type SessionInfo } from './session-list.ts';
import * as setup from './session-setup.ts';
import * as tools from './tool-calls.ts';
import { forkSession, sessionStatus } from './unstable.ts';

const encodeOpen = (params: Parameters<typeof openParams>[0]) => openParams(params, encodeServer);

function encodeServer(server: McpServer) {
  return { type: server.type ?? 'stdio', ...serverParams(server) };
}

function decodeOpened(result: setup.ResumeSessionResponse & { readonly sessionId?: string }): OpenedSession {
  const { sessionId, configOptions, availableCommands } = result;
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(configOptions && { configOptions }),
    ...(availableCommands && { commands: availableCommands.map(normalizeCommand) }),
  };
}

function decodeInfo({ additionalDirectories, ...info }: SessionInfo): NeutralInfo {
  return additionalDirectories ? { ...info, additionalDirectories } : info;
}

type Opening<P> = AgentMethod<P, Parameters<typeof decodeOpened>[0]>;

const opening = <P>(descriptor: Opening<P>) => call({ descriptor, encode: encodeOpen, decode: decodeOpened });

/** How version 2 makes each call. */
export const baselineCalls: CallTable = {
  newSession: opening(setup.newSession),
  loadSession: call({
    descriptor: setup.resumeWithReplay,
    encode: (params) => ({ ...encodeOpen(params), replayFrom: { type: 'start' } }),
    decode: decodeOpened,
  }),
  resumeSession: opening(setup.resumeSession),
  forkSession: opening(forkSession),
  listSessions: call({
    descriptor: listSessions,
    encode: listParams,
    decode: ({ sessions, nextCursor }) => ({
      sessions: sessions.map(decodeInfo),
      ...(nextCursor != null && { nextCursor }),
    }),
  }),
  closeSession: command(setup.closeSession),
  deleteSession: command(deleteSession),
  archiveSession: command(unstable.archiveSession),
  unarchiveSession: command(unstable.unarchiveSession),
  sessionStatus: query(sessionStatus),
  setSessionTitle: query(unstable.setSessionTitle),
  prompt: call({
    descriptor: lifecycle.prompt,
    encode: promptParams,
    decode: ({ stopReason, messageId }) => present({ stopReason, messageId }),
  }),
  cancel: command(lifecycle.cancel),
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
  cancelToolCall: command(tools.cancelToolCall),
  cancelTerminal: command(tools.cancelTerminal),
  login: command(authentication.login),
  logout: command(authentication.logout),
  authStatus: call({ descriptor: unstable.authStatus, encode: () => ({}), decode: authStatus }),
  listProviders: query(providers.listProviders),
  setProvider: call({ descriptor: providers.setProvider, encode: providerParams, decode: nothing }),
  disableProvider: command(providers.disableProvider),
};

/** The same in the draft that loaded with a method of its own. */
export const markerCalls: CallTable = { ...baselineCalls, loadSession: opening(setup.loadSession) };
