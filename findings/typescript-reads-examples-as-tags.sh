#!/usr/bin/env bash
# TypeScript 6.0.3: a decorator in the code of an `@example` is read as a tag, so that editors mark the documented export as deprecated.
#
# Expected: code between ``` is code, as typedoc 0.28.20 reads it.
# Seen: the example ends before the decorator. `@deprecated` in it deprecates the export itself: each import of it is struck through, and
# suggestion 6385 says so. Text before it on the line changes nothing, unless no blank separates them.
# Why it matters: a library with a decorator of this name marks it as deprecated in the editors of all its users.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts typescript@6.0.3 typedoc@0.28.20

cat >library.ts <<'LIBRARY'
/**
 * Announces the end of a method.
 *
 * @example
 * ```ts
 * class Home {
 *   @deprecated()
 *   read() {}
 * }
 * ```
 */
export function deprecated() {
  return (method: unknown) => method
}

/**
 * Announces the end of a method.
 *
 * @example
 * ```ts
 * class Home {@deprecated() read() {}}
 * ```
 */
export function ends() {
  return (method: unknown) => method
}
LIBRARY
cat >app.ts <<'APP'
import { deprecated, ends } from './library.js'

export const both = [deprecated(), ends()]
APP
cat >tsconfig.json <<'OPTIONS'
{ "compilerOptions": { "module": "nodenext", "target": "es2022", "strict": true }, "files": ["library.ts", "app.ts"] }
OPTIONS
cat >run.mjs <<'PROGRAM'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { Application } from 'typedoc'

const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true }
const service = ts.createLanguageService({
  getScriptFileNames: () => ['library.ts', 'app.ts'],
  getScriptVersion: () => '1',
  getScriptSnapshot: (file) => (ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')) : undefined),
  getCurrentDirectory: () => process.cwd(),
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
})
const program = service.getProgram()
const checker = program.getTypeChecker()
for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile('library.ts')))) {
  console.log(symbol.name, symbol.getJsDocTags(checker).map(({ name }) => name).join(' '))
}
for (const { code, messageText } of service.getSuggestionDiagnostics('app.ts')) console.log(code, messageText)

const app = await Application.bootstrap({ entryPoints: ['library.ts'], logLevel: 'Error' })
for (const { name, signatures } of (await app.convert()).children) {
  const [{ comment }] = signatures
  console.log(`typedoc: ${name} ${comment.blockTags.map(({ tag }) => tag).join(' ')}`)
}
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
deprecated example deprecated
ends example
6385 'deprecated' is deprecated.
6387 The signature '(): (method: unknown) => unknown' of 'deprecated' is deprecated.
typedoc: deprecated @example
typedoc: ends @example
EXPECTED
