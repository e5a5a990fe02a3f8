/**
 * Extracts the examples of the documentation as programs: the `ts` blocks of Markdown files and of `@example` in doc comments.
 *
 * `expression // => value` becomes an assertion, and `expression // => throws /text/` an assertion about an error.
 * A `ts no-run` block is only type-checked.
 */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { listNodes, parse } from '#test/source.js'

export interface Example {
  /** File and line of the opening fence, such as `docs/routes.md:12`. */
  readonly name: string
  /** The program with assertions, and with the line numbers of the documentation. */
  readonly code: string
  /** The program as in the documentation. */
  readonly shown: string
  /** Whether to run it; `false` for `ts no-run`. */
  readonly run: boolean
}

interface Block {
  readonly line: number
  readonly text: string
  readonly run: boolean
}

/** A statement with a `// =>` comment; positions in the source. */
interface Expectation {
  readonly start: number
  readonly end: number
  readonly subject: string
  readonly expected: string
}

const FENCE = /^(?<indent>[ \t]*)(?<ticks>`{3,})(?<info>[^`]*)$/
const ASSERTIONS = `import { check as $check, checkRejects as $checkRejects, checkThrows as $checkThrows } from '#test/example-assertions.js'
void [$check, $checkRejects, $checkThrows]
`
const MARK = /\/\/ => (?<expected>.*)$/
const THROWS = /^throws(?: (?<pattern>\/.*\/[a-z]*))?$/

/**
 * Returns the examples of a file.
 *
 * @param path a Markdown or TypeScript file
 * @throws Error if a `// =>` comment does not follow an expression or a `const`
 */
export function findExamples(path: string): Example[] {
  const text = readFileSync(path, 'utf8')
  const blocks = path.endsWith('.md') ? markdownBlocks(text) : commentBlocks(path, text)
  return blocks.map(({ line, text: block, run }) => {
    const name = `${path}:${line}`
    const lines = '\n'.repeat(line)
    return { name, run, code: lines + withAssertions(name, block), shown: lines + block }
  })
}

/**
 * Returns the `ts` blocks of Markdown.
 *
 * @param text Markdown
 * @param firstLine line number of the first line
 */
export function markdownBlocks(text: string, firstLine = 1): Block[] {
  const blocks: Block[] = []
  let open:
    { readonly line: number; readonly info: string; readonly ticks: string; readonly indent: string } | undefined
  let lines: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line)?.groups
    if (open === undefined) {
      if (!fence) continue
      open = {
        line: firstLine + index,
        info: fence['info'] ?? '',
        ticks: fence['ticks'] ?? '',
        indent: fence['indent'] ?? '',
      }
      lines = []
    } else if (fence && fence['info']?.trim() === '' && (fence['ticks'] ?? '').length >= open.ticks.length) {
      const [language, ...flags] = open.info.trim().split(/\s+/)
      if (language === 'ts') blocks.push({ line: open.line, text: lines.join('\n'), run: !flags.includes('no-run') })
      open = undefined
    } else {
      lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart())
    }
  }
  if (open) throw new Error(`Cannot read examples: the block opened in line ${open.line} does not end`)
  return blocks
}

/**
 * Returns the `ts` blocks of each `@example` in the doc comments of a TypeScript file.
 *
 * @param path path of the file, for the parser
 * @param text TypeScript
 */
export function commentBlocks(path: string, text: string): Block[] {
  const file = parse(path, text)
  const comments = new Set<ts.Node>()
  for (const node of listNodes(file)) for (const comment of ts.getJSDocCommentsAndTags(node)) comments.add(comment)
  // Cuts the source, because the parser reads a decorator in an example as a tag.
  return [...comments].filter(ts.isJSDoc).flatMap((comment) => {
    const body = text.slice(comment.pos, comment.end).replace(/^[ \t]*\*(?: |$|(?=\/))/gm, '')
    const firstLine = file.getLineAndCharacterOfPosition(comment.pos).line + 1
    const [before = '', ...examples] = body.split(/^(?=@example\b)/m)
    return markdownBlocks(examples.join(''), firstLine + before.split('\n').length - 1)
  })
}

/**
 * Replaces the `// =>` comments of an example by assertions.
 *
 * @param name file and line, for errors
 * @param text TypeScript
 */
export function withAssertions(name: string, text: string): string {
  const file = parse('example.ts', text)
  const expectations = [...listNodes(file)]
    .map((node) => parseExpectation(file, node))
    .filter((found) => found !== undefined)
  const marks = text.split('\n').filter((line) => MARK.test(line)).length
  if (marks !== expectations.length) {
    throw new Error(`Cannot read ${name}: a \`// =>\` must follow an expression or a \`const\``)
  }
  return expectations.reduceRight(
    (code, { start, end, subject, expected }) => code.slice(0, start) + assertion(subject, expected) + code.slice(end),
    `${text}\n${ASSERTIONS}`,
  )
}

function parseExpectation(file: ts.SourceFile, node: ts.Node): Expectation | undefined {
  const text = file.text
  if (!ts.isExpressionStatement(node) && !ts.isVariableStatement(node)) return undefined
  const lineEnd = text.indexOf('\n', node.end)
  const rest = text.slice(node.end, lineEnd < 0 ? text.length : lineEnd)
  const expected = /^\s*;?\s*\/\/ => /.test(rest) ? MARK.exec(rest)?.groups?.['expected']?.trim() : undefined
  if (expected === undefined) return undefined
  const start = node.getStart(file)
  if (ts.isExpressionStatement(node)) return { start, end: node.end, subject: node.expression.getText(file), expected }
  const name = node.declarationList.declarations.at(-1)?.name
  if (!name || !ts.isIdentifier(name)) return undefined
  return { start: node.end, end: node.end, subject: name.text, expected }
}

function assertion(subject: string, expected: string): string {
  const throws = THROWS.exec(expected)
  if (!throws) return `;$check((${subject}), (${expected}));`
  const pattern = throws.groups?.['pattern'] ?? '/(?:)/'
  if (!/\bawait\b/.test(subject)) return `;$checkThrows(() => (${subject}), ${pattern});`
  return `;await $checkRejects(async () => (${subject}), ${pattern});`
}
