import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownFolder, readLine, parseStack } from '#src/devconsole/host/stack.js'

const ROOT = '/home/me/app'

describe('readLine()', () => {
  const LINES: readonly (readonly [line: string, expected: string])[] = [
    ['    at Users.get (/home/me/app/src/users.ts:12:5)', 'Users.get src/users.ts 12 5 app'],
    ['    at async Users.get (file:///home/me/app/src/users.ts:12:5)', 'Users.get src/users.ts 12 5 app'],
    ['    at /home/me/app/a.js:1:2', ' a.js 1 2 app'],
    ['    at async /home/me/app/a.js:1:2', ' a.js 1 2 app'],
    ['    at new Db (/home/me/app/node_modules/db/index.js:3:4)', 'new Db node_modules/db/index.js 3 4 library'],
    ['    at process.tick (node:internal/process:95:5)', 'process.tick node:internal/process 95 5 node'],
    ['    at fn (/elsewhere/x.js:1:1)', 'fn /elsewhere/x.js 1 1 library'],
    ['    at fn [as other] (/home/me/app/b.js:7:8)', 'fn [as other] b.js 7 8 app'],
    ['    at fn (file://host:bad/x.js:1:1)', 'fn file://host:bad/x.js 1 1 library'],
  ]
  for (const [line, expected] of LINES) {
    it(`parses "${line.trim()}"`, () => {
      const frame = readLine(line, ROOT)
      assert.equal(`${frame?.function} ${frame?.file} ${frame?.line} ${frame?.column} ${frame?.kind}`, expected)
    })
  }

  it('ignores lines without a file and a line number', () => {
    for (const line of ['at <anonymous>', 'at Array.map (<anonymous>)', 'at native', ''])
      assert.equal(readLine(line, ROOT), undefined)
  })

  it('classifies the source of Verbena as a library', () => {
    assert.equal(readLine(new Error('here').stack?.split('\n')[1] ?? '', process.cwd())?.kind, 'app')
    const own = new URL('../../../src/devconsole/host/stack.ts', import.meta.url)
    assert.equal(readLine(`at fn (${own.href}:1:1)`, process.cwd())?.kind, 'library')
  })
})

describe('parseStack()', () => {
  it('does not parse lines of the error message as frames', () => {
    const message = 'No\n    at fake (/home/me/app/secret.ts:1:1)\nsuch'
    const stack = `Error: ${message}\n    at real (/home/me/app/real.ts:2:3)`
    assert.deepEqual(
      parseStack(stack, message, ROOT).map(({ file }) => file),
      ['real.ts'],
    )
    assert.deepEqual(parseStack(stack, 'another message', ROOT), [])
    assert.equal(parseStack('Error\n    at real (/home/me/app/real.ts:2:3)', '', ROOT).length, 1)
  })

  it('parses at most 50 frames', () => {
    const stack = `Error: x${'\n    at f (/home/me/app/a.ts:1:1)'.repeat(80)}`
    assert.equal(parseStack(stack, 'x', ROOT).length, 50)
  })
})

describe('ownFolder()', () => {
  it('returns the directory of the package or its source, and null in a bundle', () => {
    assert.equal(ownFolder('file:///linked/verbena/dist/console.js'), '/linked/verbena/dist/')
    assert.equal(ownFolder('file:///home/me/verbena/src/devconsole/host/stack.ts'), '/home/me/verbena/src/')
    assert.equal(ownFolder('file:///app/build/server/console.js'), null)
    assert.equal(ownFolder('file:///app/dist/main.js'), null)
  })
})
