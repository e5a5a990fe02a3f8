/** `verbena openapi`. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { verbena } from '#test/command-line.js'

const folder = mkdtempSync(join(tmpdir(), 'verbena-openapi-'))

describe('verbena openapi', () => {
  after(() => rmSync(folder, { recursive: true }))

  it('prints the document of the default version, or of --version', async () => {
    const [first, second] = await Promise.all([
      verbena(['openapi', 'app.ts']),
      verbena(['openapi', 'app.ts', '--version', '2.0']),
    ])
    const ids = [first, second].map(({ out }) => JSON.parse(out).paths['/prices'].get.operationId)
    assert.deepEqual([first.code, ids], [0, ['PricesV1.get', 'PricesV2.get']])
  })

  it('writes the document to a file with --out', async () => {
    const path = join(folder, 'openapi.json')
    const { code, out } = await verbena(['openapi', 'fine.ts', '--out', path])
    assert.deepEqual([code, out], [0, `Wrote ${path} with 1 operation\n`])
    const text = readFileSync(path, 'utf8')
    assert.deepEqual([Object.keys(JSON.parse(text).paths), text.endsWith('}\n')], [['/home'], true])
  })

  it('rejects an invalid version, and a file that cannot be written', async () => {
    const version = await verbena(['openapi', 'app.ts', '--version', 'new'])
    assert.equal(version.code, 2)
    assert.match(version.err, /"version" of openapi\(\): it must be a version, not "new"/)
    const file = await verbena(['openapi', 'fine.ts', '-o', join(folder, 'none/openapi.json')])
    assert.deepEqual([file.code, file.out], [2, ''])
    assert.match(file.err, /^Cannot write ".*": ENOENT/)
  })
})
