// Prints its arguments, its folder and its variables whose names begin with ACP_TEST_: describe.mjs [args…]
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('ACP_TEST_')));
console.log(JSON.stringify({ pid: process.pid, cwd: process.cwd(), args: process.argv.slice(2), env }));
