import * as v from 'valibot';
import { EnvVariable } from '../both/session-setup.ts';
import { count, meta, nullableString, nullish, optionalNullable, path, struct } from '../vocabulary.ts';

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

export const WaitForTerminalExitRequest = oneTerminal;
export type WaitForTerminalExitRequest = v.InferOutput<typeof WaitForTerminalExitRequest>;

export const WaitForTerminalExitResponse = TerminalExitStatus;
export type WaitForTerminalExitResponse = v.InferOutput<typeof WaitForTerminalExitResponse>;

export const KillTerminalRequest = oneTerminal;
export type KillTerminalRequest = v.InferOutput<typeof KillTerminalRequest>;

export const ReleaseTerminalRequest = oneTerminal;
export type ReleaseTerminalRequest = v.InferOutput<typeof ReleaseTerminalRequest>;
