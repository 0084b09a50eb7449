import * as both from '../both/methods.ts';
import { descriptorsOf } from '../calls.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentMethod, type ClientMethod, methodTable } from '../method.ts';
import { calls } from './calls.ts';
import { features } from './features.ts';
import * as methods from './methods.ts';
import { normalize, normalizePermission } from './normalize.ts';

/** Version 1 of the protocol. */
export const v1: Dialect = {
  name: 'v1',
  protocolVersion: 1,
  features,
  calls,
  agentMethods: methodTable<AgentMethod>(
    ...descriptorsOf(calls),
    methods.sessionStatus,
    ...both.agentMethods,
  ),
  clientMethods: methodTable<ClientMethod>(
    methods.requestPermission,
    methods.readTextFile,
    methods.writeTextFile,
    methods.createTerminal,
    methods.terminalOutput,
    methods.waitForTerminalExit,
    methods.killTerminal,
    methods.releaseTerminal,
    methods.createElicitation,
    ...both.clientMethods,
  ),
  normalize,
  normalizePermission,
  endOfTurn: 'response',
  hasPromptKeys: false,
};
