import type { Diagnostic, DiagnosticListener } from '../diagnostic.ts';
import type { Output } from './output.ts';

/** How many are shown: an agent that is wrong once is wrong a thousand times. */
const shownDiagnostics = 10;

/** Tells the user of diagnostics, the first ones one by one. */
export function diagnosticPrinter(output: Output): { report: DiagnosticListener; finish: () => void } {
  let count = 0;
  const report = ({ severity, message, received }: Diagnostic) => {
    if (severity === 'info' || ++count > shownDiagnostics) return;
    output.note(`${severity}: ${message}${received === undefined ? '' : `\n  received: ${received}`}`);
  };
  const finish = () => {
    if (count > shownDiagnostics) output.note(`… and ${count - shownDiagnostics} more warnings like these.`);
  };
  return { report, finish };
}
