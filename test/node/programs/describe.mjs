// Says how it was started: describe.mjs [args…], and the variables whose names start with ACP_TEST_.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('ACP_TEST_')));
console.log(JSON.stringify({ pid: process.pid, cwd: process.cwd(), args: process.argv.slice(2), env }));
