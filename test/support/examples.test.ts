import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commentBlocks, markdownBlocks, withAssertions } from '#test/examples.js'
import { check, checkRejects, checkThrows } from '#test/example-assertions.js'
import { checkTypes, runAll } from '#test/run-examples.js'

/** Runs an example that imports nothing but the assertions. */
function run(text: string): void {
  const body = withAssertions('here', text).replace(/^import .*$/m, '')
  // oxlint-disable-next-line no-new-func -- examples are code, and this one is written below
  new Function('$check', '$checkRejects', '$checkThrows', body)(check, checkRejects, checkThrows)
}

describe('markdownBlocks()', () => {
  it('returns ts blocks with the line of their fence', () => {
    const text = ['# T', '```ts', 'one', '```', '```sh', 'two', '```', '  ```ts no-run', '  three', '  ```'].join('\n')
    assert.deepEqual(markdownBlocks(text), [
      { line: 2, text: 'one', run: true },
      { line: 8, text: 'three', run: false },
    ])
  })

  it('ignores shorter fences inside longer ones', () => {
    assert.deepEqual(markdownBlocks('````md\n```ts\none\n```\n````'), [])
  })

  it('rejects a block that does not end', () => {
    assert.throws(() => markdownBlocks('```ts\none'), /opened in line 1 does not end/)
  })
})

describe('commentBlocks()', () => {
  it('returns the @example blocks of doc comments, including class members', () => {
    const text = [
      '/**',
      ' * A class.',
      ' *',
      ' * ```ts',
      ' * not an example',
      ' * ```',
      ' *',
      ' * @example',
      ' * ```ts',
      ' * const a = 1',
      ' *',
      ' * if (a) {',
      ' *   a // => 1',
      ' * }',
      ' * ```',
      ' */',
      'export class A {',
      '  /**',
      '   * @example',
      '   * ```ts no-run',
      '   * new A().b()',
      '   * ```',
      '   */',
      '  b(): void {}',
      '}',
    ]
    assert.deepEqual(commentBlocks('a.ts', text.join('\n')), [
      { line: 9, text: 'const a = 1\n\nif (a) {\n  a // => 1\n}', run: true },
      { line: 20, text: 'new A().b()', run: false },
    ])
  })
})

describe('withAssertions()', () => {
  it('passes if the values are as documented', () => {
    run('const a = { b: [1] }\na // => { b: [1] }\na.b // => [1]\nconst c = 2 // => 2')
    run('[\n  1,\n  2,\n].map((n) => n + 1) // => [2, 3]')
    run(`for (const n of [1, 2]) {\n  n > 0 // => true\n}`)
  })

  it('fails if a value is not as documented', () => {
    assert.throws(() => run('const a = 1\na // => 2'), /Expected values to be strictly (?:deep-)?equal/)
    assert.throws(() => run('const a = 1 // => 2'), /Expected values to be strictly (?:deep-)?equal/)
    assert.throws(() => run(`[1].length // => '1'`), /Expected values to be strictly (?:deep-)?equal/)
  })

  it('treats an object without prototype as equal to a plain object', () => {
    run(`Object.assign(Object.create(null), { id: '7' }) // => { id: '7' }`)
  })

  it('checks documented errors', async () => {
    await checkRejects(async () => JSON.parse('{'), /JSON/)
    await assert.rejects(
      checkRejects(async () => 1, /JSON/),
      /Missing expected rejection/,
    )
    run(`JSON.parse('{') // => throws /JSON/`)
    run(`JSON.parse('{') // => throws`)
    assert.throws(() => run('JSON.parse("1") // => throws /JSON/'), /Missing expected exception/)
    assert.throws(() => run(`JSON.parse('{') // => throws /other/`), /The input did not match/)
  })

  it('awaits an expression that contains await', () => {
    assert.match(
      withAssertions('here', `await go() // => throws /no/`),
      /^;await \$checkRejects\(async \(\) => \(await go\(\)\), \/no\/\);/,
    )
  })

  it('rejects a // => comment without an expression', () => {
    assert.throws(() => withAssertions('a.md:1', 'if (true) {} // => 1'), /Cannot read a\.md:1/)
    assert.throws(() => withAssertions('a.md:1', '// => 1'), /Cannot read a\.md:1/)
  })

  it('keeps the line numbers', () => {
    assert.equal(withAssertions('here', 'one()\n\ntwo() // => 2').split('\n')[2], ';$check((two()), (2)); // => 2')
  })
})

/** Closes its server in the close phase of the event loop, when the next timers are already due. */
const CLOSING_LATE = `import { once } from 'node:events'
import { connect, createServer } from 'node:net'

const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').resume()
await once(socket, 'close')
await new Promise<void>((resolve) => server.close(() => resolve()))
process.nextTick(() => {
  for (const began = performance.now(); performance.now() - began < 20;);
})
`

describe('runAll() and checkTypes()', () => {
  const FOLDER = join('.cache', 'doc-examples', `${process.pid}-own`)
  const EXAMPLES: readonly (readonly [name: string, text: string, outcome: RegExp])[] = [
    ['right', `const a: number = await Promise.resolve(1)\na // => 1`, /^$/],
    ['wrong', 'const a = 1\na // => 2', /strictly (?:deep-)?equal/],
    ['throwing', `throw new Error('as it happens')`, /as it happens/],
    ['ending', 'process.exit(0)', /It ended the process/],
    ['waiting', 'await new Promise(() => {})', /It ended the process/],
    [
      'listening',
      `import { createServer } from 'node:http'\ncreateServer().listen(0)`,
      /It leaves open: TCPServerWrap/,
    ],
    // A handle closed in a callback is closed one turn of the event loop later. A timer may fire before that.
    ['closing late', CLOSING_LATE, /^$/],
    ['rejecting', `void Promise.reject(new Error('nobody looks'))`, /nobody looks/],
    ['last', 'const a = 1\na // => 1', /^$/],
  ]
  const fileOf = (name: string): string => join(FOLDER, `${name}.ts`)

  before(() => {
    mkdirSync(FOLDER, { recursive: true })
    for (const [name, text] of EXAMPLES) writeFileSync(fileOf(name), withAssertions(name, text))
    writeFileSync(fileOf('types'), `\n\nexport const a: string = 1\n`)
  })

  after(() => rmSync(FOLDER, { recursive: true, force: true }))

  it('report the outcome of each example', () => {
    const results = runAll(
      EXAMPLES.map(([name]) => fileOf(name)),
      join(FOLDER, 'results.json'),
    )
    for (const [name, , outcome] of EXAMPLES) assert.match(results[fileOf(name)] ?? 'never begun', outcome, name)
  })

  it('report the type errors of each example, with the line', () => {
    const errors = checkTypes([fileOf('right'), fileOf('types')], 'tsconfig.json')
    assert.deepEqual([...errors.keys()], [resolve(fileOf('types'))])
    assert.match(errors.get(resolve(fileOf('types'))) ?? '', /^line 3: TS2322 /)
  })
})
