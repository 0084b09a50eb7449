// Answers each message with itself. Ends when its input does.
import { createInterface } from 'node:readline';

console.log(JSON.stringify({ pid: process.pid }));
for await (const line of createInterface({ input: process.stdin })) console.log(line);
