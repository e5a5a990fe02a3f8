/** The command under the permission model of Node, and with flags of V8. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'
import { checkFile } from '#src/cli/load-module.js'
import { hasFlag, hasPermission, warnWithoutPlaces } from '#src/cli/permission.js'
import { run, type CommandResult } from '#test/command-line.js'
import { COMMAND } from '#test/repository.js'

const FLAG = Number(process.versions.node.split('.')[0]) < 22 ? '--experimental-permission' : '--permission'
/** tsx needs these. */
const TSX = ['--allow-fs-write=*', '--allow-worker', '--allow-child-process']

mkdirSync('.cache', { recursive: true })
// Below the checkout, so that the modules find Verbena and tsx.
const folder = mkdtempSync(join(process.cwd(), '.cache/permission-'))
const elsewhere = mkdtempSync(join(tmpdir(), 'verbena-permission-'))

/** Runs a command with permission to read a folder, or everything. */
function runWith(readable: string, ...args: readonly string[]): Promise<CommandResult> {
  return run(['--no-warnings', FLAG, `--allow-fs-read=${readable}`, ...TSX, ...COMMAND, ...args], { cwd: folder })
}

writeFileSync(
  join(folder, 'app.ts'),
  `import { createApp, Route } from 'verbena'
class Home extends Route {
  get() {}
}
export const app = createApp({ routes: { Home }, logger: false })
`,
)
writeFileSync(join(folder, 'inspects.ts'), `import { Session } from 'node:inspector'\nnew Session().connect()\n`)
writeFileSync(join(elsewhere, 'app.mjs'), 'export const app = 1\n')

describe(`verbena under ${FLAG}`, () => {
  after(() => {
    rmSync(folder, { recursive: true })
    rmSync(elsewhere, { recursive: true })
  })

  for (const args of [
    ['routes', 'app.ts'],
    ['explain', 'app.ts', 'GET', '/home'],
    ['check', 'app.ts'],
  ]) {
    it(`warns that verbena ${args[0]} does not know places`, async () => {
      const { out, err } = await runWith('*', ...args)
      assert.match(out, /Home|\/home/)
      assert.equal(
        err.replaceAll('\n', ' '),
        `Places in files are unknown, because Node runs with "--permission". Run the command without it to see them `,
      )
    })
  }

  it('names the flags if the module needs another permission', async () => {
    const { code, out, err } = await runWith('*', 'routes', 'inspects.ts')
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^Cannot load "inspects\.ts": ERR_ACCESS_DENIED \(inspects\.ts:2\)\n/)
    assert.match(
      err.replace(/\s+/g, ' '),
      /Node runs with "--permission", which denies Inspector\. Run the command without it, or allow this access\. tsx needs several permissions; a compiled module only "--allow-fs-read" $/,
    )
  })

  it('does not report a file that it may not read as missing', async () => {
    const { code, out, err } = await runWith(process.cwd(), 'routes', join(elsewhere, 'app.mjs'))
    assert.deepEqual([code, out], [2, ''])
    assert.match(
      err.replace(/\s+/g, ' '),
      /app\.mjs": Node runs with "--permission" and may not read it\. Add "--allow-fs-read=\*", or run the command without "--permission" $/,
    )
  })
})

// The permission model writes no coverage, so these run in this process.
describe('hasPermission()', () => {
  /** Calls a function while the process has no permission. */
  function withoutPermission(act: () => void): void {
    const before = Reflect.getOwnPropertyDescriptor(process, 'permission')
    Object.defineProperty(process, 'permission', { value: { has: () => false }, configurable: true })
    try {
      act()
    } finally {
      if (before === undefined) Reflect.deleteProperty(process, 'permission')
      else Object.defineProperty(process, 'permission', before)
    }
  }

  it('is true without the permission model, so nothing is reported', () => {
    assert.ok(hasPermission('inspector'))
    warnWithoutPlaces({ warn: assert.fail })
    checkFile('package.json', resolve('package.json'))
  })

  it('is false without a permission, which is reported', () => {
    const warned: string[] = []
    withoutPermission(() => {
      warnWithoutPlaces({ warn: (text) => void warned.push(text) })
      assert.throws(
        () => checkFile('package.json', resolve('package.json')),
        /may not read it\. Add "--allow-fs-read=\*"/,
      )
    })
    assert.match(String(warned), /^Places in files are unknown/)
  })
})

describe('hasFlag()', () => {
  const { execArgv } = process
  const { NODE_OPTIONS: before } = process.env
  afterEach(() => {
    process.execArgv = execArgv
    delete process.env['NODE_OPTIONS']
    if (before !== undefined) process.env['NODE_OPTIONS'] = before
  })

  it('finds a flag of the command line and of NODE_OPTIONS, also with underscores', () => {
    delete process.env['NODE_OPTIONS']
    process.execArgv = ['--other']
    assert.equal(hasFlag('--no-opt'), false)
    process.execArgv = ['--no_opt']
    assert.equal(hasFlag('--no-opt'), true)
    process.execArgv = []
    process.env['NODE_OPTIONS'] = '--other --no-opt'
    assert.equal(hasFlag('--no-opt'), true)
  })
})
