// The TypeScript of the pages, as programs: with the code that the text around it introduces.

import { examples } from '../test/package/docs/examples.ts';
import { fencedBlock } from '../test/package/docs/pages.ts';

/** The samples of all pages so far. The fence of a sample has its number, as `sample-7`. */
export const samples = [];

/** A fence for a sample, and what it assumes one click away. */
function sampleFence({ language, before, code, after, assumed }) {
  samples.push({ language, before, code, after });
  const sample = `\`\`\`${language} sample-${samples.length - 1}\n${code}\`\`\``;
  if (assumed === '') return sample;
  return `${sample}\n\n<details class="context">\n<summary>What this sample assumes</summary>\n\n\`\`\`${language}\n${assumed}\n\`\`\`\n\n</details>`;
}

/** Changes the samples of a page that is written by hand. */
export function withSamples(text) {
  return text.replaceAll(fencedBlock, (whole, given = '', _file, language, code) => {
    if (!/^tsx?$/.test(language)) return whole;
    const assumed = given.trim();
    return sampleFence({ language, before: `${given}\n`, code, after: '\nexport {};\n', assumed });
  });
}

const known = new Map((await examples()).map((example) => [example.code.trim(), example]));

/** Changes the examples of a page of the reference. Its signatures are no programs. */
export function withExamples(text) {
  return text.replaceAll(/^( *)```ts\n([\s\S]*?)^\1```$/gm, (whole, indent, indented) => {
    const code = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const example = known.get(code.trim());
    if (!example) return whole;
    const { imports, declarations } = example;
    const fence = sampleFence({
      language: 'ts',
      before: imports,
      code,
      after: `\nexport {};\n${declarations}`,
      assumed: `${imports}${declarations}`.trim(),
    });
    return indent + fence.replaceAll(/\n(?!\n)/g, `\n${indent}`);
  });
}
