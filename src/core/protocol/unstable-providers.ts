import * as v from 'valibot';
import { type AgentMethod, agentRequest } from './method.ts';
import {
  json,
  lenientArray,
  meta,
  openEnum,
  optional,
  optionalNullable,
  record,
  struct,
  withDefault,
} from './vocabulary.ts';

/**
 * Configuration of the model providers of an agent, the same in both versions. Unstable: may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const LlmProtocol = openEnum<'anthropic' | 'openai' | 'azure' | 'vertex' | 'bedrock'>();
/** @experimental */
export type LlmProtocol = v.InferOutput<typeof LlmProtocol>;

/** @experimental */
export const ProviderCurrentConfig = struct({ apiType: LlmProtocol, baseUrl: v.string(), _meta: meta });
/** @experimental */
export type ProviderCurrentConfig = v.InferOutput<typeof ProviderCurrentConfig>;

/** @experimental */
export const ProviderInfo = struct({
  providerId: v.string(),
  supported: withDefault(lenientArray(LlmProtocol), []),
  /** If `true`, the provider must not be disabled. */
  required: v.boolean(),
  current: optionalNullable(ProviderCurrentConfig),
  _meta: meta,
});
/** @experimental */
export type ProviderInfo = v.InferOutput<typeof ProviderInfo>;

/** @experimental */
export const ListProvidersRequest = struct({ _meta: meta });
/** @experimental */
export type ListProvidersRequest = v.InferOutput<typeof ListProvidersRequest>;

/** @experimental */
export const ListProvidersResponse = struct({ providers: v.array(ProviderInfo), _meta: meta });
/** @experimental */
export type ListProvidersResponse = v.InferOutput<typeof ListProvidersResponse>;

/** @see https://agentclientprotocol.com/rfds/custom-llm-endpoint */
export const listProviders = agentRequest({
  method: 'providers/list',
  params: ListProvidersRequest,
  result: ListProvidersResponse,
  requires: 'providers',
});

/** @experimental */
export const SetProviderRequest = struct({
  providerId: v.string(),
  apiType: LlmProtocol,
  baseUrl: v.string(),
  headers: optional(record(v.string())),
  _meta: meta,
});
/** @experimental */
export type SetProviderRequest = v.InferOutput<typeof SetProviderRequest>;

/** @see https://agentclientprotocol.com/rfds/custom-llm-endpoint */
export const setProvider = agentRequest({
  method: 'providers/set',
  params: SetProviderRequest,
  result: json,
  requires: 'providers',
});

/** @experimental */
export const DisableProviderRequest = struct({ providerId: v.string(), _meta: meta });
/** @experimental */
export type DisableProviderRequest = v.InferOutput<typeof DisableProviderRequest>;

/** @see https://agentclientprotocol.com/rfds/custom-llm-endpoint */
export const disableProvider = agentRequest({
  method: 'providers/disable',
  params: DisableProviderRequest,
  result: json,
  requires: 'providers',
});

export const providerMethods: readonly AgentMethod[] = [listProviders, setProvider, disableProvider];
