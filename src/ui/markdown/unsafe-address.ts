/** Addresses that a page would run, or that hold what is shown. Remove white space and control characters first. */
export const unsafeAddress = /^(?:javascript|vbscript|data):/i;
