/** The names of tests, read out of the files that make them: of suites, of single tests, and of the rows of tables. */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { listNodes, parse } from './source.js'

/** The names in a file of tests. */
export interface TestNames {
  /** First arguments of `describe`, `it`, `testRows`, and every `rule`; what is computed in them stands as `…`. */
  readonly names: ReadonlySet<string>
  /** Texts of the names that single tests have without `titleOf`. */
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
  const found = known.get(path) ?? namesIn(path, readFileSync(path, 'utf8'))
  known.set(path, found)
  return found
}

/**
 * The names of the tests in a text.
 *
 * @param path the path it has, or would have
 * @param text TypeScript
 */
export function namesIn(path: string, text: string): TestNames {
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

/** What stands in quotes; what is computed within is left open. */
function titleText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
}

/** Functions that make rows: the place of their parameter `rule`, by name. */
function findMakers(file: ts.SourceFile): ReadonlyMap<string, number> {
  const makers = new Map<string, number>()
  for (const node of listNodes(file)) {
    if (!ts.isFunctionDeclaration(node) || node.name === undefined) continue
    const place = node.parameters.findIndex(({ name }) => name.getText() === 'rule')
    if (place >= 0) makers.set(node.name.text, place)
  }
  return makers
}

/** The rule that a row gives, in a property or to a function that makes rows. */
function titleRule(node: ts.Node, makers: ReadonlyMap<string, number>): string[] {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'rule') return [titleText(node.initializer) ?? []].flat()
  if (!ts.isCallExpression(node)) return []
  const rule = node.arguments[makers.get(node.expression.getText()) ?? -1]
  return rule === undefined ? [] : [titleText(rule) ?? []].flat()
}

/**
 * Tells whether a name is that of a test: the same, or the same but for what is computed.
 *
 * @param names of a file
 * @param name as a page says it
 */
export function isNamed({ names }: TestNames, name: string): boolean {
  if (names.has(name)) return true
  return [...names].some((given) => given !== '…' && given.includes('…') && matches(given.split('…'), name))
}

/** Whether a text has these parts one after the other, with something in between. */
function matches(parts: readonly string[], text: string): boolean {
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')
  return new RegExp(`^${pattern}$`, 's').test(text)
}
