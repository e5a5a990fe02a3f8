/** `docs/errors.md` documents exactly the codes of setup errors, and `src` throws each of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import ts from 'typescript'
import { SETUP_CODES } from '#src/errors/setup-error.js'
import { filesBelow, listNodes, parse } from '#test/source.js'

const HEADING = /^### `([A-Z_]+)`$/gm
const EXAMPLE = /\n```text\n(Cannot [^\n]+: [^\n]+[^.\n])\n```\n/
const PARTS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['what it means', /\n\*\*Means:\*\* \S/],
  ['an example message in the form of the house', EXAMPLE],
  ['the fix', /\n\*\*Fix:\*\* \S/],
]

/** Returns the codes of the setup errors that a file creates. */
function thrownCodes(path: string, text: string): string[] {
  return [...listNodes(parse(path, text))]
    .filter(ts.isNewExpression)
    .filter((node) => node.expression.getText() === 'SetupError')
    .flatMap((node) => node.arguments?.[0] ?? [])
    .filter((code) => ts.isStringLiteralLike(code))
    .map((code) => code.text)
}

/** Returns the sections of the page by code, without the text before the first one. */
function sectionsOf(page: string): Map<string, string> {
  const headings = [...page.matchAll(HEADING)]
  return new Map(headings.map((heading, at) => [heading[1] ?? '', page.slice(heading.index, headings[at + 1]?.index)]))
}

describe('codes of setup errors', () => {
  const codes = Object.keys(SETUP_CODES)
  const page = readFileSync('docs/errors.md', 'utf8')
  const sections = sectionsOf(page)

  it('has exactly the setup error codes as headings, in alphabetical order', () => {
    assert.deepEqual(
      [...page.matchAll(HEADING)].map((heading) => heading[1]),
      codes.toSorted(),
    )
  })

  for (const code of codes) {
    it(`documents meaning, example and fix of ${code}`, () => {
      const section = sections.get(code) ?? ''
      assert.deepEqual(
        PARTS.filter(([, pattern]) => !pattern.test(section)).map(([what]) => what),
        [],
        `docs/errors.md lacks a part of ${code}`,
      )
    })
  }

  it('throws every setup error code in src', () => {
    const thrown = new Set(filesBelow('src', '.ts').flatMap((path) => thrownCodes(path, readFileSync(path, 'utf8'))))
    assert.deepEqual(
      codes.filter((code) => !thrown.has(code)),
      [],
      'codes of src/errors/setup-error.ts without a `new SetupError(...)` with a literal code',
    )
  })
})

describe('thrownCodes()', () => {
  it('ignores comments and strings', () => {
    const text = [
      `throw new SetupError('ONE', 'text')`,
      `// new SetupError('TWO', 'text')`,
      `const text = "new SetupError('THREE', 'text')"`,
      `throw new OtherError('FOUR')`,
    ].join('\n')
    assert.deepEqual(thrownCodes('a.ts', text), ['ONE'])
  })
})
