import * as v from 'valibot';
import { meta, openEnum, struct } from '../vocabulary.ts';

export const EnvVariable = struct({ name: v.string(), value: v.string(), _meta: meta });
export type EnvVariable = v.InferOutput<typeof EnvVariable>;

export const HttpHeader = struct({ name: v.string(), value: v.string(), _meta: meta });
export type HttpHeader = v.InferOutput<typeof HttpHeader>;

export const SystemPromptMode = openEnum<'append' | 'override'>();
export type SystemPromptMode = v.InferOutput<typeof SystemPromptMode>;

export const CloseSessionRequest = struct({ sessionId: v.string(), _meta: meta });
export type CloseSessionRequest = v.InferOutput<typeof CloseSessionRequest>;
