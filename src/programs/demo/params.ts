import * as v from 'valibot';
import { issuesOf, listed } from '../../core/base/issue.ts';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { isAbsolutePath } from '../../core/protocol/vocabulary.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { Mode } from './session.ts';

const absolutePath = v.pipe(v.string(), v.check(isAbsolutePath, 'must be an absolute path'));
const sessionId = v.string();
const mode = v.picklist(['ask', 'auto']);
/** Of a server over HTTP, all that a call needs. Of others, the name. */
const server = v.object({
  name: v.string(),
  type: v.nullish(v.string()),
  url: v.nullish(v.string(), ''),
  headers: v.nullish(v.array(v.object({ name: v.string(), value: v.string() })), []),
});
export type Server = v.InferOutput<typeof server>;
/** The agent ignores options and values that it does not have. */
const configOption = v.object({ configId: v.string(), value: v.unknown() });
const location = {
  cwd: absolutePath,
  additionalDirectories: v.nullish(v.array(absolutePath), []),
  mcpServers: v.nullish(v.array(server), []),
  configOptions: v.nullish(v.array(configOption), []),
};

const version = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));
/** Whatever else an object has. A marker that is not an object counts as absent. */
const marker = v.fallback(v.nullish(v.looseObject({})), undefined);
export const initialize = v.object({
  protocolVersion: version,
  clientCapabilities: v.fallback(v.nullish(v.object({ plan: marker })), undefined),
});
export const create = v.object(location);
export type Opening = v.InferOutput<typeof create>;
export const options = v.object({ ...location, sessionId: v.nullish(sessionId) });
const start = v.object({ type: v.literal('start') });
export const reopen = v.object({ sessionId, ...location, replayFrom: v.nullish(start) });
export type Reopening = v.InferOutput<typeof reopen>;
export const list = v.object({ cwd: v.nullish(absolutePath), cursor: v.nullish(v.string()) });
export const session = v.object({ sessionId });
const block = v.custom<JsonObject>(isJsonObject, 'must be an object');
const blocks = v.pipe(v.array(block), v.minLength(1, 'must have at least one block'));
export const prompt = v.object({ sessionId, prompt: blocks, idempotencyKey: v.nullish(v.string()) });
export type Prompt = v.InferOutput<typeof prompt>;
export const inject = v.object({ sessionId, mode: v.literal('steer'), content: blocks });
export const request = v.object({ requestId: v.union([v.string(), v.number()]) });
export const setMode = v.object({ sessionId, modeId: mode });
export const setOption = v.object({ sessionId, configId: v.literal('mode'), value: mode });

/** The mode that the client has chosen for the start of a session. */
export function chosenMode({ configOptions }: Opening): Mode | undefined {
  const values = configOptions.flatMap(({ configId, value }) => (configId === 'mode' ? [value] : []));
  return values.filter((value) => v.is(mode, value)).at(-1);
}

/** Checks the parameters of a request. Error -32602 names what is wrong. */
export function read<S extends v.GenericSchema>(schema: S, given: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, given);
  if (result.success) return result.output;
  const issues = issuesOf(result.issues, 'params').map(({ path, message }) => ({ path, message }));
  throw new RequestError(-32602, `Wrong parameters: ${listed(issues)}.`, { issues });
}
