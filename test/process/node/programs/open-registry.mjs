// Opens a registry: open-registry.mjs <library> <options as JSON> [times]. Prints the last result or the error as JSON.
// If anything of the fetch were left running, this process would not end.
import { pathToFileURL } from 'node:url';

const [library, options, times = '1'] = process.argv.slice(2);
const { registry } = await import(pathToFileURL(library));
let printed;
for (let call = 0; call < Number(times); call++) {
  try {
    printed = await registry(JSON.parse(options));
  } catch (error) {
    printed = { name: error.name, code: error.code, message: error.message };
  }
}
console.log(JSON.stringify(printed));
