import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { root } from './entries.ts';

const quiet = { default: { logLevel: ExtractorLogLevel.None } };

/** A declaration of a wire schema, or of its type. The reports of the schema entries describe them. */
const wireSchema =
  /^\/\/ @public.*\n(?:const \w+: [\s\S]*?|type (\w+) = v\.InferOutput<typeof \1>);\n\n(?=\/\/ )/gm;

/**
 * The declarations of an entry, by API Extractor, with the types that it needs and does not export. Reads the
 * declarations that were built.
 */
export async function apiReport(file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-api-'));
  const declarations = `${root}/dist/${file}.d.ts`;
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${root}/package.json`,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2022',
            lib: ['es2023', 'esnext.disposable'],
            module: 'nodenext',
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: 'report.api.md',
        reportFolder: folder,
        reportTempFolder: `${folder}/new`,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: quiet, tsdocMessageReporting: quiet },
    },
  });
  try {
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (message) => {
        // Reports are compared and written by the test, which says what is to be said of them.
        message.handled = !['error', 'warning'].includes(message.logLevel) || message.category === 'console';
      },
    });
    if (!succeeded) throw new Error(`API Extractor failed on ${declarations}.`);
    const report = await readFile(`${folder}/report.api.md`, 'utf8');
    return report.replaceAll(wireSchema, '');
  } finally {
    await rm(folder, { recursive: true });
  }
}
