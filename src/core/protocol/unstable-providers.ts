import * as v from './vocabulary.ts';

/**
 * Configuration of the model providers of an agent, the same in both versions. Unstable: may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const LlmProtocol = v.openEnum<'anthropic' | 'openai' | 'azure' | 'vertex' | 'bedrock'>();
/** @experimental */
export type LlmProtocol = v.InferOutput<typeof LlmProtocol>;

/** @experimental */
export const ProviderCurrentConfig = v.struct({ apiType: LlmProtocol, baseUrl: v.string(), _meta: v.meta });
/** @experimental */
export type ProviderCurrentConfig = v.InferOutput<typeof ProviderCurrentConfig>;

/** @experimental */
export const ProviderInfo = v.struct({
  providerId: v.string(),
  supported: v.withDefault(v.lenientArray(LlmProtocol), []),
  /** If `true`, the provider must not be disabled. */
  required: v.boolean(),
  current: v.optionalNullable(ProviderCurrentConfig),
  _meta: v.meta,
});
/** @experimental */
export type ProviderInfo = v.InferOutput<typeof ProviderInfo>;

/** @experimental */
export const ListProvidersRequest = v.struct({ _meta: v.meta });
/** @experimental */
export type ListProvidersRequest = v.InferOutput<typeof ListProvidersRequest>;

/** @experimental */
export const ListProvidersResponse = v.struct({ providers: v.array(ProviderInfo), _meta: v.meta });
/** @experimental */
export type ListProvidersResponse = v.InferOutput<typeof ListProvidersResponse>;

/** @experimental */
export const SetProviderRequest = v.struct({
  providerId: v.string(),
  apiType: LlmProtocol,
  baseUrl: v.string(),
  headers: v.optional(v.record(v.string())),
  _meta: v.meta,
});
/** @experimental */
export type SetProviderRequest = v.InferOutput<typeof SetProviderRequest>;

/** @experimental */
export const DisableProviderRequest = v.struct({ providerId: v.string(), _meta: v.meta });
/** @experimental */
export type DisableProviderRequest = v.InferOutput<typeof DisableProviderRequest>;
