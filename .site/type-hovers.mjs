// Types on hover. One language service looks at all samples, and each type is once in the block that shows it.
import { join } from 'node:path';
import ts from 'typescript';
import { compilerOptions } from '../test/package/docs/examples.ts';
import { root } from './contents.mjs';

/** The types in samples: for each the places of its names, and the texts that they show. */
function typesIn(samples) {
  const options = compilerOptions();
  const files = new Map(
    samples.map(({ language, before, code, after }, n) => [
      join(root, `docs/.sample-${n}.${language}`),
      `${before}${code}${after}`,
    ]),
  );
  const service = ts.createLanguageService({
    ...ts.sys,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot(name) {
      const text = files.get(name) ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    fileExists: (name) => files.has(name) || ts.sys.fileExists(name),
    readFile: (name) => files.get(name) ?? ts.sys.readFile(name),
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const program = service.getProgram();
  return [...files.keys()].map((name, n) => {
    const { before, code } = samples[n];
    const source = program.getSourceFile(name);
    const texts = new Map();
    const places = [];
    const visit = (node) => {
      const start = node.getStart(source) - before.length;
      if (ts.isIdentifier(node) && start >= 0 && start < code.length) {
        const info = service.getQuickInfoAtPosition(name, start + before.length);
        const type = typeOf(info);
        if (type !== '') {
          if (!texts.has(type)) texts.set(type, { type, comment: commentOf(info) });
          const index = [...texts.keys()].indexOf(type);
          places.push({ start, end: start + node.text.length, index });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return { places, texts: [...texts.values()] };
  });
}

/** The type as the compiler shows it, without that the name is imported. */
function typeOf(info) {
  const whole = ts.displayPartsToString(info?.displayParts);
  const short = whole.replace(/^\(alias\) /, '').replace(/\nimport [^\n]*$/, '');
  return short === '' ? whole : short;
}

/** The first paragraph of a comment. */
function commentOf(info) {
  const [first = ''] = ts.displayPartsToString(info?.documentation).split(/\n\s*\n/);
  return first.replaceAll(/\{@link (\S+)[^}]*\}/g, '`$1`').trim();
}

const element = (tagName, properties, children) => ({ type: 'element', tagName, properties, children });

/** A text with code between backticks. */
const prose = (text) =>
  text.split('`').flatMap((value, index) => {
    const node = { type: 'text', value };
    return index % 2 === 0 ? [node] : [element('code', {}, [node])];
  });

/** Marks the names in samples, and puts their types into the block, where the theme finds them. */
export function typeHovers(samples) {
  let types;
  /** The highlighted texts of types, of which many samples show the same. */
  const shown = new Map();
  return {
    name: 'type-hovers',
    preprocess(_code, settings) {
      const number = /\bsample-(\d+)/.exec(settings.meta?.__raw ?? '')?.[1];
      if (number === undefined) return;
      types ??= typesIn(samples);
      const { places, texts } = types[number];
      settings.decorations = places.map(({ start, end, index }) => ({
        start,
        end,
        properties: { class: 'typed', 'data-type': String(index) },
      }));
      this.meta.texts = texts;
    },
    root(tree) {
      if (!this.meta.texts) return;
      const settings = { ...this.options, meta: {}, decorations: [], transformers: [] };
      const rows = this.meta.texts.map(({ type, comment }) => {
        if (!shown.has(type)) {
          shown.set(type, this.codeToHast(type, { ...settings, lang: 'ts', structure: 'inline' }).children);
        }
        // Its white space stays.
        const code = element('pre', {}, shown.get(type));
        return element('div', {}, comment === '' ? [code] : [code, element('p', {}, prose(comment))]);
      });
      tree.children.push(element('div', { class: 'types', hidden: true, 'v-pre': '' }, rows));
    },
  };
}
