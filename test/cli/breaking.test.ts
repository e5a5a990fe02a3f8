/** `verbena breaking`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { verbena } from '#test/command-line.js'

const folder = mkdtempSync(join(tmpdir(), 'verbena-breaking-'))

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const OPERATION = { responses: { 200: { description: 'x' } } }
const LOCKED = { openapi: '3.1.1', paths: { '/home': { get: OPERATION }, '/old': { get: OPERATION } } }

describe('verbena breaking', () => {
  after(() => rmSync(folder, { recursive: true }))

  it('prints breaking changes with their rules, and exits with 1', async () => {
    const locked = write('locked.json', JSON.stringify(LOCKED))
    const { code, out } = await verbena(['breaking', 'fine.ts', locked])
    assert.equal(code, 1)
    assert.match(
      out,
      /^api-path-removed-without-deprecation\n {2}GET \/old: the operation was removed\n {2}\S+\n\n1 breaking change since /,
    )
    const json = await verbena(['breaking', 'fine.ts', locked, '--json'])
    assert.deepEqual([json.code, JSON.parse(json.out)[0].path], [1, '/old'])
  })

  it('exits with 0 for the document of the app', async () => {
    const { out } = await verbena(['openapi', 'fine.ts'])
    const locked = write('same.json', out)
    const result = await verbena(['breaking', 'fine.ts', locked])
    assert.deepEqual([result.code, result.out], [0, `No breaking changes since ${locked}\n`])
  })

  const FLAWS: readonly (readonly [text: string | null, message: RegExp])[] = [
    [null, /^Cannot read ".*": ENOENT/],
    ['{', /^Cannot read ".*": it is not JSON\./],
    ['[]', /^Cannot read ".*": it must be an OpenAPI 3\.1 document/],
    ['{}', /^Cannot compare documents: "before" must be an OpenAPI 3\.1 document/],
  ]

  for (const [text, message] of FLAWS) {
    it(`rejects ${text === null ? 'a missing file' : `a file with ${text}`}`, async () => {
      const path = text === null ? join(folder, 'none.json') : write('flawed.json', text)
      const { code, out, err } = await verbena(['breaking', 'fine.ts', path])
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
    })
  }
})
