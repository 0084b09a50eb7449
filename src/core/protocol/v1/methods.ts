import { CreateElicitationRequest } from '../both/elicitation.ts';
import { SessionOptionsRequest } from '../both/newer.ts';
import { agentRequest, clientRequest } from '../method.ts';
import { promptFeatures, sessionFeatures } from '../param-features.ts';
import { SessionStatusRequest } from '../unstable.ts';
import { ReceivedUsage } from '../usage.ts';
import * as v from '../vocabulary.ts';
import * as authentication from './authentication.ts';
import * as elicitation from './elicitation.ts';
import * as files from './file-system.ts';
import * as turn from './prompt-turn.ts';
import * as config from './session-config-options.ts';
import * as modes from './session-modes.ts';
import * as setup from './session-setup.ts';
import * as terminals from './terminals.ts';
import * as tools from './tool-calls.ts';
import * as unstable from './unstable.ts';

/** The methods of version 1, by the page of the specification that describes them. */

/** @see https://agentclientprotocol.com/protocol/v1/authentication#protocol-driven-authentication */
export const authenticate = agentRequest({
  method: 'authenticate',
  params: authentication.AuthenticateRequest,
  result: v.json,
  requires: 'auth.login',
});

/** @see https://agentclientprotocol.com/protocol/v1/authentication#logging-out */
export const logout = agentRequest({
  method: 'logout',
  params: authentication.LogoutRequest,
  result: v.json,
  requires: 'auth.logout',
});

/** @see https://agentclientprotocol.com/protocol/v1/elicitation#creating-an-elicitation */
export const createElicitation = clientRequest({
  method: 'elicitation/create',
  params: CreateElicitationRequest,
  result: elicitation.CreateElicitationResponse,
});

/** @see https://agentclientprotocol.com/protocol/v1/file-system#reading-files */
export const readTextFile = clientRequest({
  method: 'fs/read_text_file',
  params: files.ReadTextFileRequest,
  result: files.ReadTextFileResponse,
});

/** @see https://agentclientprotocol.com/protocol/v1/file-system#writing-files */
export const writeTextFile = clientRequest({
  method: 'fs/write_text_file',
  params: files.WriteTextFileRequest,
  result: v.empty,
});

/** @see https://agentclientprotocol.com/protocol/v1/prompt-turn#1-user-message */
export const prompt = agentRequest({
  method: 'session/prompt',
  params: turn.PromptRequest,
  result: v.struct({ ...turn.PromptResponse.entries, usage: v.nullish(ReceivedUsage) }),
  requires: 'session',
  uses: promptFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v1/session-config-options#from-the-client */
export const setConfigOption = agentRequest({
  method: 'session/set_config_option',
  params: config.SetSessionConfigOptionRequest,
  // Some agents answer `{}`.
  result: v.nullAsEmpty(
    v.struct({ configOptions: v.lenient(v.lenientArray(config.SessionConfigOption)), _meta: v.meta }),
  ),
  requires: 'session',
});

/** @see https://agentclientprotocol.com/protocol/v1/session-modes#from-the-client */
export const setMode = agentRequest({
  method: 'session/set_mode',
  params: modes.SetSessionModeRequest,
  result: v.json,
  requires: 'session',
});

/** @see https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session */
export const newSession = agentRequest({
  method: 'session/new',
  params: setup.NewSessionRequest,
  result: setup.NewSessionResponse,
  requires: 'session',
  session: 'opens',
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions */
export const loadSession = agentRequest({
  method: 'session/load',
  params: setup.LoadSessionRequest,
  // The example of the page answers `null`.
  result: v.nullAsEmpty(setup.LoadSessionResponse),
  requires: 'session.load',
  session: 'attaches',
  replays: () => true,
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions */
export const resumeSession = agentRequest({
  method: 'session/resume',
  params: setup.ResumeSessionRequest,
  result: v.nullAsEmpty(setup.ResumeSessionResponse),
  requires: 'session.resume',
  session: 'attaches',
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v1/terminals#executing-commands */
export const createTerminal = clientRequest({
  method: 'terminal/create',
  params: terminals.CreateTerminalRequest,
  result: terminals.CreateTerminalResponse,
});

/** @see https://agentclientprotocol.com/protocol/v1/terminals#getting-output */
export const terminalOutput = clientRequest({
  method: 'terminal/output',
  params: terminals.TerminalOutputRequest,
  result: terminals.TerminalOutputResponse,
});

/** @see https://agentclientprotocol.com/protocol/v1/terminals#waiting-for-exit */
export const waitForTerminalExit = clientRequest({
  method: 'terminal/wait_for_exit',
  params: terminals.WaitForTerminalExitRequest,
  result: terminals.WaitForTerminalExitResponse,
});

/** @see https://agentclientprotocol.com/protocol/v1/terminals#killing-commands */
export const killTerminal = clientRequest({
  method: 'terminal/kill',
  params: terminals.KillTerminalRequest,
  result: v.empty,
});

/** @see https://agentclientprotocol.com/protocol/v1/terminals#releasing-terminals */
export const releaseTerminal = clientRequest({
  method: 'terminal/release',
  params: terminals.ReleaseTerminalRequest,
  result: v.empty,
});

/** @see https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission */
export const requestPermission = clientRequest({
  method: 'session/request_permission',
  params: tools.RequestPermissionRequest,
  result: tools.RequestPermissionResponse,
});

/** @see https://agentclientprotocol.com/rfds/session-options */
export const sessionOptions = agentRequest({
  method: 'session/options',
  params: SessionOptionsRequest,
  result: setup.LoadSessionResponse,
  requires: 'session.options',
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/rfds/session-fork */
export const forkSession = agentRequest({
  method: 'session/fork',
  params: unstable.ForkSessionRequest,
  result: unstable.ForkSessionResponse,
  requires: 'session.fork',
  session: 'opens',
  uses: sessionFeatures,
});

/** @see https://agentclientprotocol.com/protocol/v1/draft/session-setup */
export const sessionStatus = agentRequest({
  method: 'session/status',
  params: SessionStatusRequest,
  result: unstable.SessionStatusResponse,
  requires: 'session.status',
  onSubagent: 'read',
});
