/** The memory on the heap that is in use. Needs `--expose-gc`. */
export function heldBytes() {
  // Twice: the first may leave what only its finalizers let go.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
