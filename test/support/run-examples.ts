/** Type-checks and runs the extracted example files. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import ts from 'typescript'

/**
 * Type-checks files as one program, with the strict options of `tsc --init`.
 *
 * @param files paths; each file is treated as a module, even without imports
 * @param project tsconfig.json with the compiler options; unused names are allowed in examples
 * @returns error messages by the absolute path of the file
 */
export function checkTypes(files: readonly string[], project: string): Map<string, string> {
  const config = ts.getParsedCommandLineOfConfigFile(
    project,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  )
  if (!config) throw new Error(`Cannot read ${project}`)
  const program = ts.createProgram(files, { ...config.options, ...CONSUMERS })
  const errors = new Map<string, string>()
  // `npm run types` checks Verbena and packages.
  const isChecked = ({ isDeclarationFile, fileName }: ts.SourceFile) => !isDeclarationFile && !isOfSource(fileName)
  for (const diagnostic of listDiagnostics(program, isChecked)) {
    const { file, start } = diagnostic
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')
    if (!file) throw new Error(text)
    const path = resolve(file.fileName)
    const line = file.getLineAndCharacterOfPosition(start ?? 0).line + 1
    errors.set(path, `${errors.get(path) ?? ''}line ${line}: TS${diagnostic.code} ${text}\n`)
  }
  return errors
}

/** Returns the messages of a compiler about the whole program and some of its files. */
export function listDiagnostics(program: ts.Program, isChecked: (file: ts.SourceFile) => boolean): ts.Diagnostic[] {
  const files = program.getSourceFiles().filter(isChecked)
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
}

function isOfSource(path: string): boolean {
  return resolve(path).startsWith(SOURCE)
}

const SOURCE = resolve(import.meta.dirname, '..', '..', 'src') + sep

const CONSUMERS: ts.CompilerOptions = {
  moduleDetection: ts.ModuleDetectionKind.Force,
  noUnusedLocals: false,
  noUnusedParameters: false,
  noUncheckedSideEffectImports: true,
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
}

/**
 * Runs files one after the other in a separate process, and continues in a new process if a file ends it.
 *
 * @param files paths of the examples
 * @param resultFile path for the results of the process
 * @param env environment of the process
 * @returns error message by file; empty if it passed
 */
export function runAll(files: readonly string[], resultFile: string, env = process.env): Record<string, string> {
  let left = files
  let results: Record<string, string> = {}
  while (left.length > 0) {
    rmSync(resultFile, { force: true })
    const runner = ['--import=tsx', '--enable-source-maps', 'test/support/example-runner.ts', resultFile, ...left]
    const { stderr } = spawnSync(process.execPath, runner, {
      encoding: 'utf8',
      timeout: 240_000,
      env: { ...env, NODE_V8_COVERAGE: '' },
    })
    if (!existsSync(resultFile)) throw new Error(`Cannot run examples: ${stderr}`)
    const found: Record<string, string> = JSON.parse(readFileSync(resultFile, 'utf8'))
    results = { ...results, ...found }
    left = left.filter((file) => !(file in found))
  }
  return results
}
