/** Facts about source files, for the tests of the repository itself. Uses the TypeScript parser. */
import { readFileSync, readdirSync } from 'node:fs'
import { posix, sep } from 'node:path'
import ts from 'typescript'

/** Specifier of an \`import()\` whose argument is not a string. */
export const COMPUTED = '(computed)'

/** An import, re-export, `import()` or `import type` in a file. */
export interface Import {
  /** The file that imports, such as `src/http/reply.ts`. */
  readonly from: string
  /** The string between the quotes. */
  readonly specifier: string
  /** The file of a relative specifier: `../errors/http-error.js` is `src/errors/http-error.ts`. Otherwise `undefined`. */
  readonly file: string | undefined
  /** Whether the import is erased at run time. */
  readonly typeOnly: boolean
}

/** Facts that the architecture rules check. */
export interface SourceFacts {
  /** Path from the root of the repository, with `/`. */
  readonly path: string
  readonly imports: readonly Import[]
  /** Restricted uses: `eval`, `new Function`, `process.env`. */
  readonly uses: ReadonlySet<string>
  readonly hasDefaultExport: boolean
  readonly hasStarExport: boolean
  /** Whether every statement is `export { ... } from '...'`. */
  readonly onlyReexports: boolean
  readonly text: string
}

/**
 * Lists the files in a folder and its subfolders.
 *
 * @param folder path from the root of the repository
 * @param extension end of the file names
 * @returns paths from the root of the repository, sorted, with `/`
 */
export function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension))
    .map((path) => posix.join(folder, path.split(sep).join('/')))
    .toSorted()
}

/**
 * Reads and parses a file.
 *
 * @param path path from the root of the repository
 */
export function readFacts(path: string): SourceFacts {
  return readFactsFrom(path, readFileSync(path, 'utf8'))
}

/**
 * Parses source code.
 *
 * @param path path from the root of the repository; the file does not need to exist
 * @param text TypeScript
 */
export function readFactsFrom(path: string, text: string): SourceFacts {
  const file = parse(path, text)
  const imports: Import[] = []
  const uses = new Set<string>()
  for (const node of listNodes(file)) {
    const found = toImport(node)
    if (found) imports.push({ from: path, ...found, file: resolveFile(path, found.specifier) })
    const use = guardedUse(node)
    if (use) uses.add(use)
  }
  return {
    path,
    imports,
    uses,
    hasDefaultExport: file.statements.some(isDefaultExport),
    hasStarExport: file.statements.some((node) => ts.isExportDeclaration(node) && !namesEach(node)),
    onlyReexports: file.statements.every(
      (node) => ts.isExportDeclaration(node) && node.moduleSpecifier && namesEach(node),
    ),
    text,
  }
}

/** Parses TypeScript. */
export function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
}

/** Yields a node and all its descendants, in source order. */
export function* listNodes(node: ts.Node): Generator<ts.Node> {
  yield node
  for (const child of node.getChildren()) yield* listNodes(child)
}

function resolveFile(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts')
}

function toImport(node: ts.Node): { readonly specifier: string; readonly typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node))
    return namesImport(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return namesImport(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isExternalModuleReference(node)) return namesImport(node.expression, false)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return namesImport(node.argument.literal, true)
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return namesImport(node.arguments[0], false)
  }
  return undefined
}

function namesImport(specifier: ts.Node | undefined, typeOnly: boolean): { specifier: string; typeOnly: boolean } {
  return { specifier: specifier && ts.isStringLiteralLike(specifier) ? specifier.text : COMPUTED, typeOnly }
}

function guardedUse(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    const callee = node.expression.getText().replace(/^globalThis\./, '')
    if (callee === 'eval') return 'eval'
    if (callee === 'Function') return 'new Function'
  }
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return /\bprocess(?:\.|\?\.|\[')env\b/.test(node.getText()) ? 'process.env' : undefined
  }
  if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env') {
    const { moduleSpecifier } = node.parent.parent.parent as ts.ImportDeclaration
    return /^'(?:node:)?process'$/.test(moduleSpecifier.getText()) ? 'process.env' : undefined
  }
  return undefined
}

function isDefaultExport(node: ts.Statement): boolean {
  if (ts.isExportAssignment(node)) return true
  if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)) {
    return node.exportClause.elements.some(({ name }) => name.text === 'default')
  }
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  )
}

function namesEach(node: ts.ExportDeclaration): boolean {
  return node.exportClause !== undefined && ts.isNamedExports(node.exportClause)
}
