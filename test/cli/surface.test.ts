/** `verbena surface`. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { verbena } from '#test/command-line.js'
import { createDirectory } from '#test/temp-directory.js'

/** The surface of the fixture, which is printed once. */
const printed = verbena(['surface', 'app.ts'])

/** Writes a current file, and returns its path and its text. */
async function writeSurface(): Promise<{ readonly file: string; readonly text: string }> {
  const { out: text } = await printed
  const file = join(createDirectory({}), 'surface.txt')
  writeFileSync(file, text)
  return { file, text }
}

describe('verbena surface', () => {
  it('prints the surface', async () => {
    const { code, out } = await printed
    assert.equal(code, 0)
    assert.match(out, /^verbena surface 1\n\n\* \/__dev__ \(console\)\n/)
    assert.match(out, /\n\nDELETE \/users\/\{id\}\n {2}guard user of \S+ \S+: http bearer\n {2}guard role of /)
    assert.match(out, /[^\n]\n$/)
  })

  it('writes the same text to a file', async () => {
    const file = join(createDirectory({}), 'surface.txt')
    const { code, out } = await verbena(['surface', 'app.ts', '--write', file])
    assert.deepEqual([code, out], [0, `Wrote ${file}\n`])
    assert.equal(readFileSync(file, 'utf8'), (await printed).out)
  })

  it('prints the fields that leave, with --json', async () => {
    const { code, out } = await verbena(['surface', 'app.ts', '--json'])
    const fields: readonly Readonly<Record<string, unknown>>[] = JSON.parse(out)
    assert.equal(code, 0)
    assert.deepEqual(Object.keys(fields[0] ?? {}), ['field', 'marks', 'leaves'])
  })

  it('prints the same bytes in another time zone, locale and mode', async () => {
    const { text } = await writeSurface()
    for (const env of [
      { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', NODE_ENV: 'development' },
      { TZ: 'America/St_Johns', LC_ALL: 'C', NODE_ENV: 'production' },
    ]) {
      const { out } = await verbena(['surface', 'app.ts'], { env })
      assert.equal(out, text)
    }
  })

  it('accepts a file that is current', async () => {
    const { file } = await writeSurface()
    const { code, out } = await verbena(['surface', 'app.ts', '--check', file])
    assert.deepEqual([code, out], [0, `No changes since ${file}\n`])
  })

  it('prints the lines that differ below their endpoint, and exits with 1', async () => {
    const { file, text } = await writeSurface()
    const old = 'GET /old\n  no guard\n\n'
    writeFileSync(file, text.replace(/guard role of .*\n/, 'no guard\n').replace('DELETE', `${old}DELETE`))
    const { code, out } = await verbena(['surface', 'app.ts', '--check', file])
    assert.equal(code, 1)
    assert.match(
      out,
      /^ {2}DELETE \/users\/\{id\}\n- {3}no guard\n\+ {3}guard role of .*\n\n- GET \/old\n- {3}no guard\n\n/,
    )
    assert.match(out, /\nThe app differs from \S+: "-" is only in the file, "\+" only in the app\n$/)
    const json = await verbena(['surface', 'app.ts', '--check', file, '--json'])
    assert.deepEqual(JSON.parse(json.out)[1], {
      heading: 'GET /old',
      lines: [
        { sign: '-', line: 'GET /old' },
        { sign: '-', line: '  no guard' },
      ],
    })
  })

  it('rejects a file with other blank lines', async () => {
    const { file, text } = await writeSurface()
    writeFileSync(file, `${text}\n`)
    const { code, out } = await verbena(['surface', 'app.ts', '--check', file])
    assert.deepEqual([code, out], [1, `Only blank lines and the order of blocks differ from ${file}\n`])
  })

  it('exits with 2 for a file that is missing, has conflicts, CRLF or another format, with the fix', async () => {
    const { file, text } = await writeSurface()
    const check = async () => {
      const { code, err } = await verbena(['surface', 'app.ts', '--check', file])
      assert.equal(code, 2)
      assert.ok(err.replaceAll(/\s+/g, ' ').includes(`with "verbena surface app.ts --write ${file}"`), err)
      return err.replaceAll(/\s+/g, ' ')
    }
    const faults = [
      [text.replaceAll('\n', '\r\n'), /its lines end with CRLF/],
      [text.replace('\n\n', '\n\n<<<<<<< HEAD\n'), /it contains conflict markers/],
      [text.replace('surface 1', 'surface 2'), /its first line must be "verbena surface 1", not "verbena surface 2"/],
      ['', /its first line must be "verbena surface 1", not ""/],
    ] as const
    for (const [changed, message] of faults) {
      writeFileSync(file, changed)
      assert.match(await check(), message)
    }
    const missing = await verbena(['surface', 'app.ts', '--check', 'none.txt'])
    assert.equal(missing.code, 2)
    assert.match(missing.err, /^Cannot check "none.txt": the file does not exist. Write it with "verbena surface/)
  })

  it('exits with 2 if it cannot read or write the file, or has both options', async () => {
    const folder = createDirectory({})
    const [read, write] = [
      await verbena(['surface', 'app.ts', '--check', folder]),
      await verbena(['surface', 'app.ts', '--write', folder]),
    ]
    assert.deepEqual([read.code, write.code], [2, 2])
    assert.match(read.err, /^Cannot check ".*": EISDIR/)
    assert.match(write.err, /^Cannot write ".*": EISDIR/m)
    const both = await verbena(['surface', 'app.ts', '--write', 'a', '--check', 'a'])
    assert.match(both.err, /^Cannot write and check a surface at the same time\. Remove "--write" or "--check"\n/)
    assert.equal(both.code, 2)
  })
})
