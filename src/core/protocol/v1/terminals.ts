import * as v from 'valibot';
import { EnvVariable } from '../both/session-setup.ts';
import { clientRequest } from '../method.ts';
import {
  count,
  empty,
  meta,
  nullableString,
  nullish,
  optionalNullable,
  path,
  struct,
} from '../vocabulary.ts';

export const CreateTerminalRequest = struct({
  sessionId: v.string(),
  command: v.string(),
  args: optionalNullable(v.array(v.string())),
  env: optionalNullable(v.array(EnvVariable)),
  cwd: optionalNullable(path),
  outputByteLimit: optionalNullable(count),
  _meta: meta,
});
export type CreateTerminalRequest = v.InferOutput<typeof CreateTerminalRequest>;

export const CreateTerminalResponse = struct({ terminalId: v.string(), _meta: meta });
export type CreateTerminalResponse = v.InferOutput<typeof CreateTerminalResponse>;

/** @see https://agentclientprotocol.com/protocol/v1/terminals#executing-commands */
export const createTerminal = clientRequest({
  method: 'terminal/create',
  params: CreateTerminalRequest,
  result: CreateTerminalResponse,
});

const oneTerminal = struct({ sessionId: v.string(), terminalId: v.string(), _meta: meta });

export const TerminalExitStatus = struct({ exitCode: nullish(count), signal: nullableString, _meta: meta });
export type TerminalExitStatus = v.InferOutput<typeof TerminalExitStatus>;

export const TerminalOutputRequest = oneTerminal;
export type TerminalOutputRequest = v.InferOutput<typeof TerminalOutputRequest>;

export const TerminalOutputResponse = struct({
  output: v.string(),
  truncated: v.boolean(),
  exitStatus: nullish(TerminalExitStatus),
  _meta: meta,
});
export type TerminalOutputResponse = v.InferOutput<typeof TerminalOutputResponse>;

/** @see https://agentclientprotocol.com/protocol/v1/terminals#getting-output */
export const terminalOutput = clientRequest({
  method: 'terminal/output',
  params: TerminalOutputRequest,
  result: TerminalOutputResponse,
});

export const WaitForTerminalExitRequest = oneTerminal;
export type WaitForTerminalExitRequest = v.InferOutput<typeof WaitForTerminalExitRequest>;

export const WaitForTerminalExitResponse = TerminalExitStatus;
export type WaitForTerminalExitResponse = v.InferOutput<typeof WaitForTerminalExitResponse>;

/** @see https://agentclientprotocol.com/protocol/v1/terminals#waiting-for-exit */
export const waitForTerminalExit = clientRequest({
  method: 'terminal/wait_for_exit',
  params: WaitForTerminalExitRequest,
  result: WaitForTerminalExitResponse,
});

export const KillTerminalRequest = oneTerminal;
export type KillTerminalRequest = v.InferOutput<typeof KillTerminalRequest>;

/** @see https://agentclientprotocol.com/protocol/v1/terminals#killing-commands */
export const killTerminal = clientRequest({
  method: 'terminal/kill',
  params: KillTerminalRequest,
  result: empty,
});

export const ReleaseTerminalRequest = oneTerminal;
export type ReleaseTerminalRequest = v.InferOutput<typeof ReleaseTerminalRequest>;

/** @see https://agentclientprotocol.com/protocol/v1/terminals#releasing-terminals */
export const releaseTerminal = clientRequest({
  method: 'terminal/release',
  params: ReleaseTerminalRequest,
  result: empty,
});
