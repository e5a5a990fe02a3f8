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
    ['[]', /^Cannot read ".*": it must be an OpenAPI document /],
    ['{}', /^Cannot read ".*": it must be an OpenAPI document of version 3\.0, 3\.1 or 3\.2, but its version is none /],
    ['{"swagger":"2.0"}', /but its version is 2\.0 /],
    ['{"openapi":"4.0.0"}', /but its version is 4\.0\.0 /],
    ['{"openapi":3.1}', /but its version is 3\.1 /],
  ]

  for (const [text, message] of FLAWS) {
    it(`rejects ${text === null ? 'a missing file' : `a file with ${text}`}`, async () => {
      const path = text === null ? join(folder, 'none.json') : write('flawed.json', text)
      const sound = write('sound.json', JSON.stringify(LOCKED))
      for (const args of [
        ['fine.ts', path],
        [sound, path],
        [path, sound],
      ]) {
        const { code, out, err } = await verbena(['breaking', ...args])
        assert.deepEqual([code, out], [2, ''])
        // Lines of messages have at most 120 characters.
        assert.match(err.replaceAll('\n', ' '), message)
        assert.ok(err.includes(path))
      }
    })
  }

  it('compares two documents of any framework, in the order of time, by structure', async () => {
    const user = { type: 'object', properties: { id: { type: 'integer' } } }
    const before = write('before.json', JSON.stringify(createDocument('3.0.0', 'UserDto', user)))
    const renamed = write('renamed.json', JSON.stringify(createDocument('3.1.0', 'User', user)))
    const same = await verbena(['breaking', before, renamed])
    assert.deepEqual([same.code, same.out], [0, `No breaking changes since ${before}\n`])
    const after = write('after.json', JSON.stringify(createDocument('3.1.0', 'User', { ...user, required: ['id'] })))
    const { code, out } = await verbena(['breaking', before, after, '--json'])
    assert.deepEqual([code, JSON.parse(out)[0].rule], [1, 'request-property-became-required'])
    const reverse = await verbena(['breaking', after, before])
    assert.equal(reverse.code, 0)
  })

  it('rejects a reference to another file, and a version without an app', async () => {
    const sound = write('sound.json', JSON.stringify(LOCKED))
    const reference = { openapi: '3.0.3', paths: { '/home': { $ref: './home.json' } } }
    const split = await verbena(['breaking', sound, write('split.json', JSON.stringify(reference))])
    assert.equal(split.code, 2)
    assert.match(
      split.err.replaceAll('\n', ' '),
      /the reference ".\/home\.json" at "\/paths\/~1home" .*\. Write all files into one document first/,
    )
    const version = await verbena(['breaking', sound, sound, '--version', '1.0'])
    assert.equal(version.code, 2)
    assert.match(version.err, /^Cannot compare two documents with "--version"/)
  })
})

/** A document in which a request refers to a schema by its name. */
function createDocument(openapi: string, name: string, schema: object): object {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
  const post = { requestBody: { content }, responses: { 204: { description: 'x' } } }
  return { openapi, paths: { '/users': { post } }, components: { schemas: { [name]: schema } } }
}
