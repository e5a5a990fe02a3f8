import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { readSource } from '#src/devconsole/serve/source.js'
import type { StackFrame } from '#src/devconsole/wire/request-types.js'
import { Secrets } from '#src/secrets/secrets.js'

const hider = new RequestRedactor(new Secrets())
const frame = (file: string, line = 3, kind: StackFrame['kind'] = 'app'): StackFrame => {
  return { n: 0, function: 'f', file, line, column: 1, kind }
}

describe('readSource()', () => {
  let root: string
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'source-'))
    writeFileSync(join(root, 'a.ts'), Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n'))
    writeFileSync(join(root, 'secret.ts'), 'const key = "x"\nconst url = "http://me:pass@host/"\n')
    writeFileSync(join(root, '.env'), 'TOKEN=abc')
    writeFileSync(join(root, 'huge.js'), '')
    truncateSync(join(root, 'huge.js'), 3 * 1024 * 1024)
  })
  after(() => rmSync(root, { recursive: true }))

  it('reads up to five lines before and after a line', async () => {
    const middle = await readSource(frame('a.ts', 10), root, hider)
    assert.deepEqual([middle?.first, middle?.lines[0], middle?.lines.at(-1)], [5, 'line 5', 'line 15'])
    const top = await readSource(frame(join(root, 'a.ts'), 1), root, hider)
    assert.deepEqual([top?.first, top?.lines.length, top?.lines[0]], [1, 6, 'line 1'])
    assert.equal(await readSource(frame('a.ts', 900), root, hider), null)
  })

  it('redacts secrets', async () => {
    assert.match((await readSource(frame('secret.ts', 1), root, hider))?.lines[1] ?? '', /http:\/\/redacted@host/)
  })

  it('reads only source files below the root of the app', async () => {
    for (const file of ['.env', '../a.ts', '/etc/passwd', `${root}x/a.ts`, 'missing.ts', 'huge.js', '/etc/passwd.ts']) {
      assert.equal(await readSource(frame(file), root, hider), null, file)
    }
    assert.equal(await readSource(frame('a.ts', 3, 'node'), root, hider), null)
    symlinkSync(tmpdir(), join(root, 'folder.ts'))
    assert.equal(await readSource(frame('folder.ts'), root, hider), null)
  })
})
