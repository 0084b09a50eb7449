/**
 * One measurement in a process of its own, so that no heap and no compiled code of another run weighs on it:
 * `node --expose-gc run-one.mjs <measurement> <JSON of what it needs>`. Prints its result as JSON.
 */
const [measurement, given] = process.argv.slice(2);
const { measure } = await import(`./measurements/${measurement}.mjs`);
process.stdout.write(JSON.stringify(await measure(JSON.parse(given))));
