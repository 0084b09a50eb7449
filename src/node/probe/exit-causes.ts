import type { AgentProblemCode } from './problem.ts';

/** What the last words of a program mean that did not become an agent. The first that matches is used. */
const causes: readonly (readonly [code: AgentProblemCode, words: RegExp])[] = [
  // npm and npx, then uv and uvx.
  [
    'program.download_failed',
    /^npm (?:error|ERR!) code (?:E404|E40[13]|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ETARGET|EHOSTUNREACH)\b|^npm (?:error|ERR!) network |(?:Failed to (?:fetch|download)|No solution found when resolving tool dependencies|not found in the (?:package registry|cache))/m,
  ],
  [
    'program.needs_newer_node',
    /\bUnsupported engine\b|\bERR_UNKNOWN_BUILTIN_MODULE\b|\bNode(?:\.js)?(?: version)? (?:>=|v?\d+(?:\.\d+)* or (?:newer|later|higher))|\brequires? (?:at least )?Node(?:\.js)?\b|does not provide an export named '\w+'\n.*node:/im,
  ],
  [
    'program.wrong_architecture',
    /\bcannot execute(?: binary file)?: |\bExec format error\b|\bBad CPU type in executable\b|\bnot a valid Win32 application\b|^[^\n]*ELF[^\n]*: not found$/m,
  ],
];

/** What the end of a program's stderr says about the reason, as far as it is known. */
export function causeIn(stderrTail: string): AgentProblemCode | undefined {
  return causes.find(([, words]) => words.test(stderrTail))?.[0];
}
