/** Task pages with Jest and Vitest, with the packed package as in the project of a reader. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { transformWithOxc } from 'vite-8'
import { tsconfig } from '../../../src/cli/new/code.js'
import { EXAMPLE_PAGES, readPage, TSCONFIG, type Files } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'
import { ProofProject } from './proofs.js'

const CACHE = resolve('.cache')
const NEW_TSCONFIG = tsconfig(true)
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

describe('authorization() in other test runners', () => {
  for (const [runner, place] of [
    ['jest', 'Me'],
    ['vitest', 'Me at src/app.ts:6'],
  ] as const) {
    it(`writes the file in ${runner}, compares it, and fails with all lines in one error`, () => {
      using project = new ProofProject(runner)
      const written = project.run('1')
      assert.equal(written.code, 0, written.output)
      assert.deepEqual(project.readFile().split('\n').slice(1), [
        'ada      nobody   endpoint',
        'reached  401      GET /me',
        '',
      ])
      const compared = project.run('')
      assert.equal(compared.code, 0, compared.output)
      project.open()
      const { code, output } = project.run('')
      assert.equal(code, 1)
      assert.ok(output.includes('ProofFailure: Cannot accept the authorization of the app'), output)
      const line = `GET /me (${place}): nobody: reached, but authorization.txt says 401 in "reached  401  GET /me"`
      assert.ok(output.includes(line), output)
    })
  }
})
