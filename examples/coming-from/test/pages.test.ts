/** Compiles and runs the code of other frameworks in docs/coming-from. The tests of the documentation run all blocks of Verbena. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

interface Block {
  readonly name: string
  readonly language: string
  readonly code: string
}

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const PAGES = fileURLToPath(new URL('../../../docs/coming-from/', import.meta.url))
const BLOCK = /^```(?<language>typescript|python)\n(?<code>[^]*?)^```$/gm
const EXPECTATION = /^(?<subject>\S.*) \/\/ => (?<expected>.*)$/gm
/** The module that a block of tsoa imports. */
const DATABASE = `export const db = {
  userOf: async (token: string) => (token === 'a1b2' ? 'ada' : undefined),
  textOf: async (id: string) => (id === '1' ? 'Buy tea' : undefined),
}
`

const blocks = readdirSync(PAGES).flatMap((page) => findBlocks(page))

/** Returns the blocks of a page that the tests of the documentation do not run. */
function findBlocks(page: string): Block[] {
  const matches = [...readFileSync(join(PAGES, page), 'utf8').matchAll(BLOCK)]
  return matches.map(({ groups }, index) => ({
    name: `${basename(page, '.md')}-${index + 1}`,
    language: groups?.['language'] ?? '',
    code: groups?.['code'] ?? '',
  }))
}

/** Replaces `expression // => value` by an assertion. */
function withAssertions(code: string): string {
  return `import $assert from 'node:assert/strict'\n${code.replace(EXPECTATION, '$assert.deepEqual($<subject>, $<expected>)')}`
}

function run(command: string, args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}${error?.message ?? ''}` }
}

describe('docs/coming-from', () => {
  before(() => {
    rmSync(join(FOLDER, '.cache'), { recursive: true, force: true })
    mkdirSync(join(FOLDER, '.cache'))
    writeFileSync(join(FOLDER, '.cache/db.ts'), DATABASE)
    for (const { name, language, code } of blocks) {
      const isPython = language === 'python'
      writeFileSync(join(FOLDER, `.cache/${name}.${isPython ? 'py' : 'ts'}`), isPython ? code : withAssertions(code))
    }
  })

  it('has blocks of Hono, NestJS, tsoa, routing-controllers and FastAPI', () => {
    const names = blocks.map(({ name }) => name)
    assert.deepEqual(names, [
      ...['fastapi-1', 'fastapi-2', 'hono-1', 'hono-2', 'nestjs-1', 'nestjs-2', 'tsoa-1', 'tsoa-2', 'tsoa-3'],
    ])
  })

  it('compiles all blocks with strict settings', () => {
    assert.deepEqual(run('npx', ['tsc', '-p', 'tsconfig.json']), { status: 0, output: '' })
  })

  for (const { name } of blocks.filter((block) => block.language === 'typescript')) {
    it(`runs ${name}`, () => {
      const result = run(process.execPath, ['--import=reflect-metadata', `.cache/out/${name}.js`])
      assert.equal(result.status, 0, result.output)
    })
  }

  const hasFastApi = run('python3', ['-c', 'import fastapi, httpx']).status === 0
  for (const { name } of blocks.filter((block) => block.language === 'python')) {
    it(`runs ${name}`, { skip: hasFastApi ? false : 'FastAPI is not installed' }, () => {
      const result = run('python3', [`.cache/${name}.py`])
      assert.equal(result.status, 0, result.output)
    })
  }
})
