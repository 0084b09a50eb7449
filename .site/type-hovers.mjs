// Types on hover. One language service looks at all samples, and each name in them has its type as the title.
import { join } from 'node:path';
import ts from 'typescript';
import { compilerOptions } from '../test/package/docs/examples.ts';
import { root } from './contents.mjs';

function languageService(samples) {
  const options = compilerOptions();
  const files = new Map(
    samples.map(({ language, before, code, after }, n) => [fileOf(language, n), `${before}${code}${after}`]),
  );
  const textOf = (name) => files.get(name) ?? ts.sys.readFile(name);
  return ts.createLanguageService({
    ...ts.sys,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot(name) {
      const text = textOf(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    fileExists: (name) => files.has(name) || ts.sys.fileExists(name),
    readFile: textOf,
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
}

const fileOf = (language, number) => join(root, `docs/.sample-${number}.${language}`);

/** The names in a sample, each with its type as the title. */
function namesIn(service, { language, before, code }, number) {
  const file = fileOf(language, number);
  const source = service.getProgram().getSourceFile(file);
  const names = [];
  const visit = (node) => {
    const start = node.getStart(source) - before.length;
    if (ts.isIdentifier(node) && start >= 0 && start < code.length) {
      const title = titleOf(service.getQuickInfoAtPosition(file, start + before.length));
      if (title !== '') names.push({ start, end: start + node.text.length, properties: { title } });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** The type as the compiler shows it, without that the name is imported, and the first paragraph of its comment. */
function titleOf(info) {
  const whole = ts.displayPartsToString(info?.displayParts);
  const short = whole.replace(/^\(alias\) /, '').replace(/\nimport [^\n]*$/, '');
  const [comment = ''] = ts.displayPartsToString(info?.documentation).split(/\n\s*\n/);
  return `${short || whole}\n\n${comment.replaceAll(/\{@link (\S+)[^}]*\}/g, '$1')}`.trim();
}

/** Marks the names in samples with their types. */
export function typeHovers(samples) {
  const service = languageService(samples);
  return {
    name: 'type-hovers',
    preprocess(_code, settings) {
      const number = Number(/\bsample-(\d+)/.exec(settings.meta?.__raw ?? '')?.[1]);
      if (number in samples) settings.decorations = namesIn(service, samples[number], number);
    },
  };
}
