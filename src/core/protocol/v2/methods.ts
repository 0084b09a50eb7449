import { isJsonObject } from '../../base/json.ts';
import { CreateElicitationRequest } from '../both/elicitation.ts';
import { SessionOptionsRequest } from '../both/newer.ts';
import { agentRequest, clientRequest } from '../method.ts';
import { promptFeatures, resumeFeatures, sessionFeatures } from '../param-features.ts';
import { SessionStatusRequest } from '../unstable.ts';
import { ReceivedUsage } from '../usage.ts';
import * as v from '../vocabulary.ts';
import * as authentication from './authentication.ts';
import { upgradeDraftSession } from './earlier-draft.ts';
import * as elicitation from './elicitation.ts';
import * as lifecycle from './prompt-lifecycle.ts';
import * as config from './session-config-options.ts';
import * as setup from './session-setup.ts';
import * as tools from './tool-calls.ts';
import * as unstable from './unstable.ts';

/** The methods of version 2, by the page of the specification that describes them. */

/** @see https://agentclientprotocol.com/protocol/v2/authentication#agent-handled-authentication */
export const login = agentRequest({
  method: 'auth/login',
  params: authentication.LoginAuthRequest,
  result: v.json,
  requires: 'auth.login',
});

/** @see https://agentclientprotocol.com/protocol/v2/authentication#logging-out */
export const logout = agentRequest({
  method: 'auth/logout',
  params: authentication.LogoutAuthRequest,
  result: v.json,
  requires: 'auth.logout',
});

/** @see https://agentclientprotocol.com/protocol/v2/elicitation#creating-an-elicitation */
export const createElicitation = clientRequest({
  method: 'elicitation/create',
  params: CreateElicitationRequest,
  result: elicitation.CreateElicitationResponse,
});

/** @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#1-user-message */
export const prompt = agentRequest({
  method: 'session/prompt',
  params: lifecycle.PromptRequest,
  // Earlier drafts answered `{}`, and before that `{ stopReason, usage }`.
  result: v.nullAsEmpty(
    v.struct({
      messageId: v.lenient(v.string()),
      stopReason: v.lenient(v.string()),
      usage: v.nullish(ReceivedUsage),
      _meta: v.meta,
    }),
  ),
  requires: 'session',
  uses: promptFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v2/session-config-options#from-the-client */
export const setConfigOption = agentRequest({
  method: 'session/set_config_option',
  params: config.SetSessionConfigOptionRequest,
  // Some agents omit the options.
  result: v.rewritten(
    v.struct({ configOptions: v.lenient(v.lenientArray(config.SessionConfigOption)), _meta: v.meta }),
    upgradeDraftSession,
  ),
  requires: 'session',
});

/** @see https://agentclientprotocol.com/protocol/v2/session-setup#creating-a-session */
export const newSession = agentRequest({
  method: 'session/new',
  params: setup.NewSessionRequest,
  result: v.rewritten(setup.NewSessionResponse, upgradeDraftSession),
  requires: 'session',
  session: 'opens',
  uses: sessionFeatures,
});

const opened = v.rewritten(setup.ResumeSessionResponse, upgradeDraftSession);

/** @see https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions */
export const resumeSession = agentRequest({
  method: 'session/resume',
  params: setup.ResumeSessionRequest,
  result: opened,
  requires: 'session.resume',
  session: 'attaches',
  replays: ({ replayFrom }) => isJsonObject(replayFrom),
  uses: resumeFeatures,
});

/**
 * The same method with a replay. Version 2 loads sessions this way.
 *
 * @see https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions
 */
export const resumeWithReplay = agentRequest({
  method: 'session/resume',
  params: setup.ResumeSessionRequest,
  result: opened,
  requires: 'session.load',
  session: 'attaches',
  replays: () => true,
  uses: sessionFeatures,
});

/**
 * Removed in version 2. Agents of the earlier draft load sessions with it.
 *
 * @see https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions
 */
export const loadSession = agentRequest({
  method: 'session/load',
  params: v.struct({ ...setup.NewSessionRequest.entries, sessionId: v.string() }),
  result: opened,
  requires: 'session.load',
  session: 'attaches',
  replays: () => true,
  uses: sessionFeatures,
});

/**
 * Allowed only while the last update of the tool call has `capabilities.cancel`.
 *
 * @see https://agentclientprotocol.com/protocol/v2/tool-calls#updating
 */
export const cancelToolCall = agentRequest({
  method: 'tool_call/cancel',
  params: tools.CancelToolCallRequest,
  result: v.json,
  requires: 'session',
});

/**
 * Allowed only while the last update of the terminal has `capabilities.cancel`.
 *
 * @see https://agentclientprotocol.com/protocol/v2/tool-calls#display-only-terminals
 */
export const cancelTerminal = agentRequest({
  method: 'terminal/cancel',
  params: tools.CancelTerminalRequest,
  result: v.json,
  requires: 'session',
});

/** @see https://agentclientprotocol.com/protocol/v2/tool-calls#requesting-permission */
export const requestPermission = clientRequest({
  method: 'session/request_permission',
  params: tools.RequestPermissionRequest,
  result: tools.RequestPermissionResponse,
});

/** @see https://agentclientprotocol.com/rfds/session-options */
export const sessionOptions = agentRequest({
  method: 'session/options',
  params: SessionOptionsRequest,
  result: setup.ResumeSessionResponse,
  requires: 'session.options',
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/rfds/session-fork */
export const forkSession = agentRequest({
  method: 'session/fork',
  params: unstable.ForkSessionRequest,
  result: v.rewritten(unstable.ForkSessionResponse, upgradeDraftSession),
  requires: 'session.fork',
  session: 'opens',
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v2/draft/session-setup */
export const sessionStatus = agentRequest({
  method: 'session/status',
  params: SessionStatusRequest,
  result: unstable.SessionStatusResponse,
  requires: 'session.status',
  onSubagent: 'read',
});
