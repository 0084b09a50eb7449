// Answers each message with itself. Ends when its input does.
import { onLine } from '../../../support/lines.mjs';

console.log(JSON.stringify({ pid: process.pid }));
onLine(process.stdin, (line) => console.log(line));
