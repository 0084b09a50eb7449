#!/usr/bin/env node
import { runCommandLine } from './main.ts';

// It ends by itself: an exit by force could cut off what was printed.
void runCommandLine(process).then((exitCode) => {
  process.exitCode = exitCode;
});
