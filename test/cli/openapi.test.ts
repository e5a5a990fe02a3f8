/** `verbena openapi`. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

  it('writes the page of an app with --page', async () => {
    const path = join(folder, 'docs.html')
    const { code, out } = await verbena(['openapi', 'fine.ts', '--page', path])
    assert.equal(code, 0)
    assert.match(out, /^Wrote .*docs\.html with \d+ kB\n$/)
    assert.match(readFileSync(path, 'utf8'), /^<!doctype html>[^]*await api\('\/home'\)\.get\(\)[^]*<\/html>\n$/)
    const both = await verbena(['openapi', 'fine.ts', '--page', path, '--out', join(folder, 'both.json')])
    assert.match(both.out, /^Wrote .*both\.json with 1 operation\nWrote .*docs\.html/)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('-')),
      [],
    )
  })

  it('writes the page of a document of any framework', async () => {
    const document = { openapi: '3.0.3', info: { title: 'Other' }, paths: { '/teas': { get: {} } } }
    const [source, path] = [join(folder, 'api.json'), join(folder, 'api.html')]
    writeFileSync(source, JSON.stringify(document))
    assert.equal((await verbena(['openapi', source, '--page', path])).code, 0)
    const page = readFileSync(path, 'utf8')
    assert.match(page, /<title>Other<\/title>[^]*\/teas/)
    assert.doesNotMatch(page, /await api/)
    const [bare, version, missing, broken] = await Promise.all([
      verbena(['openapi', source]),
      verbena(['openapi', source, '--page', path, '--version', '1.0.0']),
      verbena(['openapi', join(folder, 'none.json'), '--page', path]),
      verbena(['openapi', source, '--page', folder]),
    ])
    assert.match(bare.err, /it is already a document\. Add "--page <file>" for its page/)
    assert.match(version.err, /with "--version": only an app has this option\. Remove it/)
    assert.match(missing.err, /^Cannot read ".*none\.json": ENOENT/)
    assert.match(broken.err, /^Cannot write ".*": /)
    assert.deepEqual(
      [bare, version, missing, broken].map(({ code }) => code),
      [2, 2, 2, 2],
    )
  })
  it('lists in the page what changed since a version or a document', async () => {
    const path = join(folder, 'changes.html')
    const changes = (): string => /<section id="changes">[^]*?<\/section>/.exec(readFileSync(path, 'utf8'))?.[0] ?? ''
    const ofApp = await verbena(['openapi', 'app.ts', '--version', '2.0', '--page', path, '--since', '1.0'])
    assert.equal(ofApp.code, 0, ofApp.err)
    // Only the header that selects the version differs.
    assert.match(changes(), /<h2>Changes since 1\.0<\/h2>[^]*No operation changed\./)
    const [old, current] = [join(folder, 'old.json'), join(folder, 'current.json')]
    writeFileSync(old, JSON.stringify({ openapi: '3.0.3', info: { version: '7' }, paths: {} }))
    writeFileSync(
      current,
      JSON.stringify({ openapi: '3.1.0', info: { title: 'Teas' }, paths: { '/teas': { get: {} } } }),
    )
    assert.equal((await verbena(['openapi', current, '--page', path, '--since', old])).code, 0)
    assert.match(changes(), /Changes since 7<[^]*<i>new<\/i>[^]*GET \/teas/)
    assert.equal((await verbena(['openapi', old, '--page', path, '--since', current])).code, 0)
    assert.match(changes(), /Changes since .*current\.json<[^]*<i>removed<\/i>[^]*GET \/teas/)
    assert.equal((await verbena(['openapi', 'fine.ts', '--page', path, '--since', old])).code, 0)
    assert.match(changes(), /<i>new<\/i>[^]*GET \/home/)
  })

  it('rejects --since without a page, and with an unknown version', async () => {
    const [bare, wrong] = await Promise.all([
      verbena(['openapi', 'app.ts', '--since', '1.0']),
      verbena(['openapi', 'app.ts', '--page', join(folder, 'no.html'), '--since', 'old']),
    ])
    assert.deepEqual([bare.code, wrong.code], [2, 2])
    assert.equal(bare.err, 'Cannot list changes without a page. Add "--page <file>"\n')
    assert.match(wrong.err, /it must be a version, not "old"/)
  })
})
