/** Task pages with Jest and Vitest, with the packed package as in the project of a reader. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { transformWithOxc } from 'vite-8'
import { TSCONFIG as NEW_TSCONFIG } from '../../../src/cli/new/code.js'
import { EXAMPLE_PAGES, readPage, TSCONFIG, type Files } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'

const CACHE = resolve('.cache')
const NEST = join(
  dirname(createRequire(import.meta.url).resolve('@nestjs/schematics/package.json')),
  'dist/lib/application/files/ts',
)

packVerbena()
testPages(EXAMPLE_PAGES['test-runners'], {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  existing: {
    'test-with-jest': { [TSCONFIG]: setOptions(NEW_TSCONFIG, { isolatedModules: true }) },
    'test-with-jest-in-nest': nestProject(),
    'test-with-vitest': { [TSCONFIG]: NEW_TSCONFIG },
  },
})

/** Unpacks Verbena above the folders of the pages. `npm run build` writes its files. */
function packVerbena(): void {
  const folder = join(CACHE, 'node_modules', 'verbena')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const options = { cwd: resolve('..', '..'), encoding: 'utf8' } as const
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', CACHE], options).trim()
  execFileSync('tar', ['xzf', join(CACHE, name), '-C', folder, '--strip-components=1'])
}

/** Returns files that `nest new` writes, with the options that TypeScript 6 requires: `rootDir`, `types`, and no `baseUrl`. */
function nestProject(): Files {
  const read = (name: string): string => readFileSync(join(NEST, name), 'utf8').replace(/"?<%= (\w+) %>"?/g, fillIn)
  return {
    'package.json': read('package.json'),
    [TSCONFIG]: setOptions(read(TSCONFIG), { baseUrl: undefined, rootDir: '.', types: ['node', 'jest'] }),
  }
}

function fillIn(_match: string, name: string): string {
  return JSON.stringify(name === 'strict' ? false : name)
}

function setOptions(text: string, options: Readonly<Record<string, unknown>>): string {
  const { compilerOptions, ...others } = JSON.parse(text)
  return JSON.stringify({ ...others, compilerOptions: { ...compilerOptions, ...options } })
}

describe('docs/how-to/test-with-jest-in-nest.md', () => {
  it('adds one line to the configuration that nest new writes', () => {
    const { jest, scripts } = JSON.parse(readPage('test-with-jest-in-nest').files.get('package.json') ?? '')
    const before = JSON.parse(nestProject()['package.json'] ?? '')
    const { transformIgnorePatterns, ...others } = jest
    assert.deepEqual(others, before.jest)
    assert.equal(scripts.test, before.scripts.test)
    assert.deepEqual(transformIgnorePatterns, ['/node_modules/(?!verbena/)'])
  })
})

describe('docs/how-to/test-with-vitest.md', () => {
  it('states correctly that Vite 8 leaves decorators in the code', async () => {
    const { code } = await transformWithOxc('class A { @log async get() {} }', 'a.ts')
    assert.match(code, /@log/)
  })
})
