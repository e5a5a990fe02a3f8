/** Reads the names of suites, tests and table rows from test files. */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { listNodes, parse } from './source.js'

/** Names in a test file. */
export interface TestNames {
  /** First arguments of `describe`, `it` and `testRows`, and every `rule`; computed parts are replaced by `…`. */
  readonly names: ReadonlySet<string>
  /** Source code of the titles of tests that do not use `formatTitle`. */
  readonly untitled: readonly string[]
}

const known = new Map<string, TestNames>()
const NAMING = new Set(['describe', 'it', 'testRows'])

/**
 * Reads the names of the tests in a file.
 *
 * @param path from the root of the repository
 */
export function testNames(path: string): TestNames {
  const found = known.get(path) ?? readNames(path, readFileSync(path, 'utf8'))
  known.set(path, found)
  return found
}

/**
 * Reads the names of the tests in source code.
 *
 * @param path path from the root of the repository; the file does not need to exist
 * @param text TypeScript
 */
export function readNames(path: string, text: string): TestNames {
  const file = parse(path, text)
  const makers = findMakers(file)
  const names = new Set<string>()
  const untitled: string[] = []
  for (const node of listNodes(file)) {
    for (const name of titleRule(node, makers)) names.add(name)
    const [called, first] = findCall(node)
    if (first === undefined || !NAMING.has(called)) continue
    const name = titleText(first)
    if (name !== undefined) names.add(name)
    if (called === 'it' && !first.getText().startsWith('formatTitle(')) untitled.push(first.getText())
  }
  return { names, untitled }
}

function findCall(node: ts.Node): readonly [called: string, first: ts.Expression | undefined] {
  return ts.isCallExpression(node) ? [node.expression.getText(), node.arguments[0]] : ['', undefined]
}

/** Returns the text of a string or template; computed parts are replaced by `…`. */
function titleText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
}

/** Finds functions that create rows. Returns the index of their parameter `rule` by function name. */
function findMakers(file: ts.SourceFile): ReadonlyMap<string, number> {
  const makers = new Map<string, number>()
  for (const node of listNodes(file)) {
    if (!ts.isFunctionDeclaration(node) || node.name === undefined) continue
    const place = node.parameters.findIndex(({ name }) => name.getText() === 'rule')
    if (place >= 0) makers.set(node.name.text, place)
  }
  return makers
}

/** Returns the rule of a row: a property `rule`, or an argument of a function that creates rows. */
function titleRule(node: ts.Node, makers: ReadonlyMap<string, number>): string[] {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'rule') return [titleText(node.initializer) ?? []].flat()
  if (!ts.isCallExpression(node)) return []
  const rule = node.arguments[makers.get(node.expression.getText()) ?? -1]
  return rule === undefined ? [] : [titleText(rule) ?? []].flat()
}

/**
 * Whether a test has this name. Computed parts match any text.
 *
 * @param names names in a test file
 * @param name name in the documentation
 */
export function isNamed({ names }: TestNames, name: string): boolean {
  if (names.has(name)) return true
  return [...names].some((given) => given !== '…' && given.includes('…') && matches(given.split('…'), name))
}

/** Whether a string consists of these parts, with other characters between them. */
function matches(parts: readonly string[], text: string): boolean {
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')
  return new RegExp(`^${pattern}$`, 's').test(text)
}
