/** Messages about errors of a module. */
import assert from 'node:assert/strict'
import { writeFileSync, mkdtempSync, rmSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { describeModuleError } from '#src/cli/module-error.js'
import { verbena } from '#test/command-line.js'

mkdirSync('.cache', { recursive: true })
const folder = mkdtempSync(join(process.cwd(), '.cache/module-error-'))

describe('describeModuleError()', () => {
  it('describes a value that is not an Error', () => {
    const { code, message, place } = describeModuleError(3)
    assert.deepEqual([code, message, place], ['Error', 'it threw 3, which is not an Error', null])
  })

  it('prefers the code of an error, and adds its causes', () => {
    const cause = new RangeError('no port', { cause: new Error('no network') })
    const error = Object.assign(new Error('no database', { cause }), { code: 'ECONNREFUSED' })
    const { code, message, place } = describeModuleError(error)
    assert.deepEqual(
      [code, message],
      ['ECONNREFUSED', 'no database\nCause: RangeError: no port\nCause: Error: no network'],
    )
    assert.equal(place?.file, 'test/cli/module-error.test.ts')
  })

  it('shortens long messages, and paths below the current folder', () => {
    const { message } = describeModuleError(new Error(`${process.cwd()}/a.ts\n2\n3\n4\n5`))
    assert.equal(message, 'a.ts\n2\n3\n4')
  })

  it('ignores places in packages and in Node', () => {
    const error = new Error('x')
    error.stack =
      'Error: x\n    at f (/a/node_modules/b/c.js:1:2)\n    at node:internal/x:1:2\n    at new Promise (<anonymous>)'
    assert.equal(describeModuleError(error).place, null)
    delete error.stack
    assert.equal(describeModuleError(error).place, null)
  })

  it('knows what Node cannot strip', () => {
    const syntax = Object.assign(new SyntaxError('enum'), { code: 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' })
    assert.match(describeModuleError(syntax).fix, /Install "tsx"/)
    const missing = new Error("Cannot find module '/a/b.js' imported from /a/c.ts")
    assert.match(
      describeModuleError(Object.assign(missing, { code: 'ERR_MODULE_NOT_FOUND' })).fix,
      /import the "\.ts" file/,
    )
    assert.equal(describeModuleError(new Error('x')).fix, '')
  })

  it('names the denied permission of the process', () => {
    const denied = Object.assign(new Error('restricted'), { code: 'ERR_ACCESS_DENIED', permission: 'WorkerThreads' })
    assert.match(
      describeModuleError(denied).fix,
      /^Node runs with "--permission", which denies WorkerThreads\. Run the command/,
    )
  })
})

describe('errors of modules', () => {
  after(() => rmSync(folder, { recursive: true }))

  const FILES: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    [
      'syntax.mjs',
      'export const a = 1\nexport const b = { c: 1 2 }\n',
      /^Cannot load "syntax\.mjs": SyntaxError \(syntax\.mjs:2\)\n {2}Unexpected number\n$/,
    ],
    [
      'syntax.ts',
      'export const a = 1\nexport const b = { c: 1 2 }\n',
      /\(syntax\.ts:2\)\n {2}Transform failed with 1 error/,
    ],
    [
      'missing.mjs',
      `import './none.mjs'\n`,
      /^Cannot load "missing\.mjs": ERR_MODULE_NOT_FOUND\n {2}Cannot find module/,
    ],
    ['name.mjs', `import { nothing } from './name.mjs'\n`, /SyntaxError \(name\.mjs:1\)\n/],
    [
      'throws.ts',
      `interface A {}\n\n\nthrow new TypeError('no')\n`,
      /^Cannot load "throws\.ts": TypeError \(throws\.ts:4\)\n {2}no\n$/,
    ],
  ]

  for (const [name, text, message] of FILES) {
    it(`shows the error of ${name} with its place, and no stack`, async () => {
      writeFileSync(join(folder, name), text)
      const { code, out, err } = await verbena(['routes', name], { cwd: folder })
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
      assert.doesNotMatch(err, /^ +at /m)
    })
  }

  it('shows a setup error with its code', async () => {
    const { code, err } = await verbena(['routes', 'broken.ts'])
    assert.equal(code, 2)
    assert.match(err, /^Cannot load "broken\.ts": ROUTE_EMPTY \(broken\.ts:6\)\n {2}Cannot /)
  })
})
