import * as v from '../vocabulary.ts';

export const EnvVariable = v.struct({ name: v.string(), value: v.string(), _meta: v.meta });
export type EnvVariable = v.InferOutput<typeof EnvVariable>;

export const HttpHeader = v.struct({ name: v.string(), value: v.string(), _meta: v.meta });
export type HttpHeader = v.InferOutput<typeof HttpHeader>;

export const SystemPromptMode = v.openEnum<'append' | 'override'>();
export type SystemPromptMode = v.InferOutput<typeof SystemPromptMode>;

export const CloseSessionRequest = v.struct({ sessionId: v.string(), _meta: v.meta });
export type CloseSessionRequest = v.InferOutput<typeof CloseSessionRequest>;
