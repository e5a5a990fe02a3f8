/** The counter of wording habits: its patterns, and the kinds of text that it reads. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const DIRECTORY = '.cache/words-test'

/** Counts the entries with a habit in one file, by kind. */
async function countIn(name: string, source: string): Promise<Record<string, string>> {
  const path = `${DIRECTORY}/${name}`
  await writeFile(path, source)
  const { stdout } = await run(process.execPath, ['scripts/words.mjs', path])
  const totals = [...stdout.matchAll(/^\| (\w+) +\| total +\| +(\d+) \| +(\d+) \|/gm)]
  return Object.fromEntries(totals.map(([, kind = '', texts, habits]) => [kind, `${habits} of ${texts}`]))
}

const FLAGGED = [
  'What a provider gives is kept by its scope.',
  'Returns null where nobody observes the requests.',
  'Those of guards stay until the request has ended.',
  'Never is more let through than the limit allows.',
  'The client is told which texts it has to send.',
  'Runs behind the guards and in front of the body.',
  'A list of 100 entries unless given by the option.',
  'It sends an answer of its own to each request.',
]
const FINE = [
  'Header changes made by guards; kept if the endpoint fails.',
  'Verbena does not await synchronous providers.',
  'A proxy behind a load balancer sends X-Forwarded-For.',
  'Maximum number of clients in memory; default 100,000.',
  'Shows where the value is in the document.',
]

function commented(texts: readonly string[]): string {
  return texts.map((text, index) => `/** ${text} */\nexport const a${index} = ${index}\n`).join('\n')
}

describe('npm run words', () => {
  before(() => mkdir(DIRECTORY, { recursive: true }))
  after(() => rm(DIRECTORY, { recursive: true, force: true }))

  it('flags translated sentences, inversions, and words that the project replaces', async () => {
    assert.equal((await countIn('flagged.ts', commented(FLAGGED)))['comments'], '8 of 8')
  })

  it('accepts sentences that follow the rules', async () => {
    assert.equal((await countIn('fine.ts', commented(FINE)))['comments'], '0 of 5')
  })

  it('joins line comments, and ignores code, examples and directives', async () => {
    const source = [
      '// oxlint-disable-next-line whatever it is that stands here',
      '// The first line of a comment,',
      '// whatever it is, is one text with the second.',
      'export const a = 1 // a trailing comment that is short',
      '/** Adds `whatever that is` to a number.\n * @example\n * whatever it gives\n */',
      'export const b = 2',
    ]
    assert.equal((await countIn('comments.ts', source.join('\n')))['comments'], '1 of 3')
  })

  it('reads titles of tests, with the rule that a title is a verb phrase', async () => {
    const source = "describe('parse()', () => {\n  it('rejects a bad name', f)\n  it('are told of bad names', f)\n})\n"
    assert.deepEqual(await countIn('titles.test.ts', source), { titles: '1 of 3' })
  })

  it('reads comments of tests and of type tests, but not their names', async () => {
    const source = `${commented(FLAGGED.slice(0, 2))}function partsOf() {}\nit('rejects a bad name', f)\n`
    const counts = { comments: '2 of 2', titles: '0 of 1' }
    assert.deepEqual(await countIn('comments.test.ts', source), counts)
    assert.deepEqual(await countIn('comments.test-d.ts', source), counts)
  })

  it('flags names of functions, types and limits', async () => {
    const source = [
      'export function partsOf() {}',
      'export function parseParts() {}',
      'interface Kept {}',
      'interface StoredResponse {}',
      'const MOST_PARTS = 1',
      'const MAX_PARTS = 1',
    ]
    assert.equal((await countIn('names.ts', source.join('\n')))['names'], '3 of 6')
  })

  it('reads paragraphs, items and rows of documents, without code blocks', async () => {
    const source = [
      'A paragraph whose lines\nbelong together, whatever they say.',
      '- an item that has more than six words in it',
      '| a | row with whatever it takes to be read |',
      '```\nwhatever is in a code block is not read at all\n```',
    ]
    assert.deepEqual(await countIn('page.md', source.join('\n\n')), { docs: '2 of 3' })
  })

  it('prints the same sample for the same seed, and another one for another seed', async () => {
    const sample = async (seed: string): Promise<string> => {
      const { stdout } = await run(process.execPath, ['scripts/words.mjs', 'src/http', '--sample', '5', '--seed', seed])
      return stdout
        .split('\n')
        .filter((line) => line.includes('\t'))
        .join('\n')
    }
    const [first, again, other] = await Promise.all([sample('1'), sample('1'), sample('2')])
    assert.equal(first.split('\n').length, 15)
    assert.equal(first, again)
    assert.notEqual(first, other)
  })
})
