#!/usr/bin/env node
import { runCommandLine } from './main.ts';

// `process.exit` could cut off output that is not written yet.
void runCommandLine(process).then((exitCode) => {
  process.exitCode = exitCode;
});
