/** What names a request. `1` and `"1"` are two requests. */
export type RequestId = string | number;

export function isRequestId(id: unknown): id is RequestId {
  // JSON reads 1e999 as Infinity, and cannot write it back.
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}
