/** Every code of a setup error is documented in `docs/errors.md` and thrown somewhere, and nothing else is. */
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
  ['the way out', /\n\*\*Way out:\*\* \S/],
]

/** The codes with which a text makes setup errors. */
function thrownCodes(path: string, text: string): string[] {
  return [...listNodes(parse(path, text))]
    .filter(ts.isNewExpression)
    .filter((node) => node.expression.getText() === 'SetupError')
    .flatMap((node) => node.arguments?.[0] ?? [])
    .filter((code) => ts.isStringLiteralLike(code))
    .map((code) => code.text)
}

/** The sections of the page by code; what is before the first one is left out. */
function sectionsOf(page: string): Map<string, string> {
  const headings = [...page.matchAll(HEADING)]
  return new Map(headings.map((heading, at) => [heading[1] ?? '', page.slice(heading.index, headings[at + 1]?.index)]))
}

describe('codes of setup errors', () => {
  const codes = Object.keys(SETUP_CODES)
  const page = readFileSync('docs/errors.md', 'utf8')
  const sections = sectionsOf(page)

  it('are documented, each once, in the order of the alphabet, and nothing else is', () => {
    assert.deepEqual(
      [...page.matchAll(HEADING)].map((heading) => heading[1]),
      codes.toSorted(),
    )
  })

  for (const code of codes) {
    it(`are explained: ${code}`, () => {
      const section = sections.get(code) ?? ''
      assert.deepEqual(
        PARTS.filter(([, pattern]) => !pattern.test(section)).map(([what]) => what),
        [],
        `docs/errors.md does not say everything about ${code}`,
      )
    })
  }

  it('are thrown somewhere in src, each of them', () => {
    const thrown = new Set(filesBelow('src', '.ts').flatMap((path) => thrownCodes(path, readFileSync(path, 'utf8'))))
    assert.deepEqual(
      codes.filter((code) => !thrown.has(code)),
      [],
      'these codes of src/errors/setup-error.ts are thrown nowhere as `new SetupError(...)` with the code written out',
    )
  })
})

describe('thrownCodes()', () => {
  it('reads code, not comments and texts', () => {
    const text = [
      `throw new SetupError('ONE', 'text')`,
      `// new SetupError('TWO', 'text')`,
      `const text = "new SetupError('THREE', 'text')"`,
      `throw new OtherError('FOUR')`,
    ].join('\n')
    assert.deepEqual(thrownCodes('a.ts', text), ['ONE'])
  })
})
