import type { Diagnostic } from '../../../base/diagnostic.ts';
import type { DiagnosticItem } from './items.ts';

/** A diagnostic as an item, with the index of the message that caused it. */
export function diagnosticItem(
  diagnostic: Diagnostic,
  t: number,
  cause: number | undefined,
): DiagnosticItem {
  return { type: 'diagnostic', t, ...diagnostic, ...(cause !== undefined && { cause }) };
}
