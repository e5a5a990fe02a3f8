/** Runs the proof of an app in a project with Jest or Vitest. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tsconfig } from '../../../src/cli/new/code.js'

const PROGRAMS = {
  jest: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
  vitest: ['node_modules/vitest/vitest.mjs', 'run'],
} as const
const PATIENCE = 120_000

const APP = `import { bearer, createApp, Route } from 'verbena'

const user = bearer((token) => token === 'token-of-ada' && { name: 'ada' })

class Me extends Route {
  static readonly get = this.contract({ uses: { user } })
  async get() {
    return 'me'
  }
}
export const app = createApp({ routes: { Me }, openapi: false })
`
const OPEN = APP.replace('uses: { user }', 'public: true')

export type Runner = keyof typeof PROGRAMS

export interface RunOutput {
  readonly code: number | null
  readonly output: string
}

/** A project with a guarded endpoint, whose test calls `authorization`. */
export class ProofProject implements Disposable {
  readonly #runner: Runner
  readonly #folder: string

  constructor(runner: Runner) {
    this.#runner = runner
    this.#folder = resolve('.cache', 'proofs', `${runner}-${process.pid}`)
    const compilerOptions = { ...JSON.parse(tsconfig(true)).compilerOptions, isolatedModules: true }
    const jest = { preset: 'ts-jest/presets/default-esm', moduleNameMapper: { [String.raw`^(\.{1,2}/.*)\.js$`]: '$1' } }
    this.#write('package.json', JSON.stringify({ type: 'module', ...(runner === 'jest' && { jest }) }))
    this.#write('tsconfig.json', JSON.stringify({ compilerOptions }))
    this.#write('src/app.ts', APP)
    this.#write(
      'test/authorization.test.ts',
      `import { it } from '${runner === 'jest' ? '@jest/globals' : 'vitest'}'
import { authorization } from 'verbena/prove'
import { app } from '../src/app.js'

it('has the decisions of the file', async () => {
  await authorization(app, { actors: { ada: { bearer: 'token-of-ada' }, nobody: {} }, file: 'authorization.txt' })
})
`,
    )
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, path)), { recursive: true })
    writeFileSync(join(this.#folder, path), text)
  }

  /** Removes the guard. */
  open(): void {
    this.#write('src/app.ts', OPEN)
  }

  readFile(): string {
    return readFileSync(join(this.#folder, 'authorization.txt'), 'utf8')
  }

  run(update: string): RunOutput {
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, NODE_ENV: _mode, CI: _ci, ...inherited } = process.env
    const args = PROGRAMS[this.#runner].map((each) => (each.startsWith('node_modules') ? resolve(each) : each))
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.#folder,
      env: { ...inherited, UPDATE: update, NO_COLOR: '1' },
      encoding: 'utf8',
      timeout: PATIENCE,
    })
    return { code: status, output: `${stdout}${stderr}` }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
