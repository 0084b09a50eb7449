import type { Diagnostic } from '../../../core/base/diagnostic.ts';
import type { DiagnosticItem } from './items.ts';

/** A diagnostic as an item, with the index of the message that caused it. */
export function diagnosticItem(
  { rule, severity, message, received }: Diagnostic,
  t: number,
  cause: number | undefined,
): DiagnosticItem {
  return {
    type: 'diagnostic',
    t,
    rule,
    severity,
    message,
    ...(received !== undefined && { received }),
    ...(cause !== undefined && { cause }),
  };
}
