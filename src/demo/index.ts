import { runDemoAgent } from './main.ts';

// The demo agent as a program. It ends by itself once its stdin has: an exit by force could cut off what it wrote.
void runDemoAgent(process).then((exitCode) => {
  process.exitCode = exitCode;
});
