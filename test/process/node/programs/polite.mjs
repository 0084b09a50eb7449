// Ignores the end of its input, and exits on SIGTERM.
process.on('SIGTERM', () => process.exit(0));
process.stdin.resume();
setInterval(() => {}, 1000);
console.log(JSON.stringify({ pid: process.pid }));
