import * as v from 'valibot';
import {
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

/** @experimental */
export const DisableProviderRequest = struct({ providerId: v.string(), _meta: meta });
/** @experimental */
export type DisableProviderRequest = v.InferOutput<typeof DisableProviderRequest>;
