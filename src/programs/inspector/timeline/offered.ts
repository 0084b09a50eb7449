import { isJsonObject, type JsonObject } from '../../../core/base/json.ts';
import type { ProtocolVersion } from '../../../core/protocol/negotiate.ts';

/** The parameters of a message. Empty if it has none. */
export function paramsOf({ params }: JsonObject): JsonObject {
  return isJsonObject(params) ? params : {};
}

/** The versions that the parameters of `initialize` offer, the preferred one first. An offer of both has the number of version 2 and the fields of both. */
export function offeredIn(params: JsonObject): readonly ProtocolVersion[] {
  if (params['protocolVersion'] !== 2) return [1];
  return isJsonObject(params['clientCapabilities']) ? [2, 1] : [2];
}
