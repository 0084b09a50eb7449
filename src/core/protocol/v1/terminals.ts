import { EnvVariable } from '../both/session-setup.ts';
import * as v from '../vocabulary.ts';

export const CreateTerminalRequest = v.struct({
  sessionId: v.string(),
  command: v.string(),
  args: v.optionalNullable(v.array(v.string())),
  env: v.optionalNullable(v.array(EnvVariable)),
  cwd: v.optionalNullable(v.path),
  outputByteLimit: v.optionalNullable(v.count),
  _meta: v.meta,
});
export type CreateTerminalRequest = v.InferOutput<typeof CreateTerminalRequest>;

export const CreateTerminalResponse = v.struct({ terminalId: v.string(), _meta: v.meta });
export type CreateTerminalResponse = v.InferOutput<typeof CreateTerminalResponse>;

const oneTerminal = v.struct({ sessionId: v.string(), terminalId: v.string(), _meta: v.meta });

export const TerminalExitStatus = v.struct({
  exitCode: v.nullish(v.count),
  signal: v.nullableString,
  _meta: v.meta,
});
export type TerminalExitStatus = v.InferOutput<typeof TerminalExitStatus>;

export const TerminalOutputRequest = oneTerminal;
export type TerminalOutputRequest = v.InferOutput<typeof TerminalOutputRequest>;

export const TerminalOutputResponse = v.struct({
  output: v.string(),
  truncated: v.boolean(),
  exitStatus: v.nullish(TerminalExitStatus),
  _meta: v.meta,
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
