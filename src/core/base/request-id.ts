/** The id of a request. `1` and `"1"` are different ids. */
export type RequestId = string | number;

export function isRequestId(id: unknown): id is RequestId {
  // JSON reads 1e999 as Infinity, which it cannot write.
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}
