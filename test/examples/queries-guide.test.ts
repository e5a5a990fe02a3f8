/** The adapters of the guide about queries: the tested files, short enough to copy. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const MAX_LINES = 40
const guide = readFileSync('docs/guides/queries.md', 'utf8')

describe('docs/guides/queries.md', () => {
  const adapters = ['examples/postgres', 'examples/users'].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => /^observe-.*\.ts$/.test(file))
      .map((file) => join(folder, file)),
  )

  it('lists all adapters', () => {
    const shown = [...guide.matchAll(/[Cc]opy \[(observe-[a-z]+\.ts)\]|\[(observe-drizzle\.ts)\]/g)]
    assert.equal(shown.length, adapters.length)
  })

  for (const path of adapters) {
    it(`contains ${path} unchanged, in at most ${MAX_LINES} lines`, () => {
      const code = readFileSync(path, 'utf8')
      assert.ok(code.trimEnd().split('\n').length <= MAX_LINES)
      assert.ok(guide.includes(`\`\`\`typescript\n${code}\`\`\``))
    })
  }
})
