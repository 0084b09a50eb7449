import { cancelRequest } from '../both/cancellation.ts';
import { completeElicitation } from '../both/elicitation.ts';
import { sessionUpdate } from '../both/session-updates.ts';
import { descriptorsOf } from '../calls.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentMethod, type ClientMethod, methodTable } from '../method.ts';
import * as unstable from '../unstable.ts';
import { providerMethods } from '../unstable-providers.ts';
import { calls } from './calls.ts';
import { createElicitation } from './elicitation.ts';
import { features } from './features.ts';
import { readTextFile, writeTextFile } from './file-system.ts';
import { normalize, normalizePermission } from './normalize.ts';
import * as terminals from './terminals.ts';
import { requestPermission } from './tool-calls.ts';
import { sessionStatus } from './unstable.ts';

/** Version 1 of the protocol. */
export const v1: Dialect = {
  name: 'v1',
  protocolVersion: 1,
  features,
  calls,
  agentMethods: methodTable<AgentMethod>(
    ...descriptorsOf(calls),
    sessionStatus,
    ...unstable.agentMethods,
    ...providerMethods,
  ),
  clientMethods: methodTable<ClientMethod>(
    sessionUpdate,
    requestPermission,
    readTextFile,
    writeTextFile,
    terminals.createTerminal,
    terminals.terminalOutput,
    terminals.waitForTerminalExit,
    terminals.killTerminal,
    terminals.releaseTerminal,
    createElicitation,
    completeElicitation,
    cancelRequest,
    ...unstable.clientMethods,
  ),
  normalize,
  normalizePermission,
  endOfTurn: 'response',
  hasPromptKeys: false,
};
