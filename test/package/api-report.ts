import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { root } from './entries.ts';

const quiet = { default: { logLevel: ExtractorLogLevel.None } };

/** A declaration of a wire schema, or of its type. The reports of the schema entries describe them. */
const wireSchema =
  /^\/\/ @public.*\n(?:const \w+: [\s\S]*?|type (\w+) = v\.InferOutput<typeof \1>);\n\n(?=\/\/ )/gm;

const declarationsOf = (file: string) => `${root}/dist/${file}.d.ts`;

/**
 * The declarations of entries, by API Extractor, with the types that they need and do not export. Reads the
 * declarations that were built.
 */
export async function apiReports(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-api-'));
  const configs = files.map((file) => [file, configOf(file, files, folder)] as const);
  try {
    const [[, first] = []] = configs;
    if (!first) return new Map();
    // One program for all entries: reading what they share takes most of the time.
    const compilerState = CompilerState.create(first, { additionalEntryPoints: files.map(declarationsOf) });
    const reports = new Map<string, string>();
    for (const [file, config] of configs) {
      const { succeeded } = Extractor.invoke(config, {
        compilerState,
        localBuild: true,
        messageCallback: (message) => {
          // Reports are compared and written by the test, which says what is to be said of them.
          message.handled =
            !['error', 'warning'].includes(message.logLevel) || message.category === 'console';
        },
      });
      if (!succeeded) throw new Error(`API Extractor failed on ${declarationsOf(file)}.`);
      const report = await readFile(`${folder}/${file}.api.md`, 'utf8');
      reports.set(file, report.replaceAll(wireSchema, ''));
    }
    return reports;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function configOf(file: string, files: readonly string[], folder: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${root}/package.json`,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarationsOf(file),
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
          files: files.map(declarationsOf),
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${file}.api.md`,
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
}
