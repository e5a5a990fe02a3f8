/** Loading the module of an app: its path, its export, and modules that cannot be loaded. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { verbena, type CommandResult } from '#test/command-line.js'

mkdirSync('.cache', { recursive: true })
// Below the checkout, so that the modules find Verbena and tsx.
const folder = mkdtempSync(join(process.cwd(), '.cache/load-module-'))

const APP = `import { createApp, Route } from 'verbena'
class Home extends Route {
  get() {}
}
const made = () => createApp({ routes: { Home }, logger: false })
`

function load(name: string, text: string): Promise<CommandResult> {
  writeFileSync(join(folder, name), text)
  return verbena(['routes', name], { cwd: folder })
}

describe('loadApp()', () => {
  after(() => rmSync(folder, { recursive: true }))

  const EXPORTS: readonly (readonly [what: string, name: string, text: string])[] = [
    ['the export "app"', 'named.ts', 'export const app = made()\nexport default 1'],
    ['the default export', 'default.ts', 'export default made()'],
    ['the result of a function', 'function.ts', 'export const app = made'],
    ['the result of an asynchronous function', 'async.ts', 'export default async () => made()'],
    ['a promise', 'promise.ts', 'export const app = Promise.resolve(made())'],
  ]

  for (const [what, name, text] of EXPORTS) {
    it(`finds the app in ${what}`, async () => {
      const { code, out, err } = await load(name, APP + text)
      assert.match(out, /\nGET +\/home +- +Home /, err)
      assert.equal(code, 0)
    })
  }

  const FLAWS: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    ['listens.ts', `${APP}export const app = made()\nawait app.listen()`, /it listens by itself \(listens\.ts:7\)/],
    [
      'attached.ts',
      `${APP}import { createServer } from 'node:http'\ncreateServer(made().handler).listen(0)`,
      /it listens by itself \(attached\.ts:7\)/,
    ],
    ['caught.ts', `${APP}made().listen().catch(() => process.exit(0))`, /it listens by itself \(caught\.ts:6\)/],
    ['exits.ts', 'process.exit(0)', /it ended the process with exit code 0\n/],
    ['hangs.ts', 'await new Promise(() => {})', /a top-level "await" never settles\n/],
    [
      'later.ts',
      `setTimeout(() => { throw new TypeError('later') })\nawait new Promise((done) => setTimeout(done, 5000))`,
      /: TypeError \(later\.ts:1\)\n {2}later\n/,
    ],
    [
      'rejects.ts',
      `void Promise.reject(new Error('rejected'))\nawait new Promise((done) => setTimeout(done, 5000))`,
      /: Error \(rejects\.ts:1\)\n {2}rejected\n/,
    ],
    ['nothing.ts', 'export {}', /it exports nothing\. Export the app as "app" or as default\n/],
    ['other.ts', 'export const users = 1', /it exports users, but no app\. Export the app/],
    [
      'object.ts',
      'export const app = { routes: [] }',
      /its export "app" is not an app\. Export the result of "createApp"/,
    ],
    ['returns.ts', 'export default () => 1', /its export "default" returns no app\. /],
  ]

  for (const [name, text, message] of FLAWS) {
    it(`rejects ${name}`, async () => {
      const { code, out, err } = await load(name, text)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /^Cannot load "/)
      assert.match(err, message)
    })
  }

  it('rejects a module whose package listens later', async () => {
    mkdirSync(join(folder, 'node_modules/listens'), { recursive: true })
    const text = `setImmediate(() => require('node:net').createServer().listen(0))`
    writeFileSync(join(folder, 'node_modules/listens/index.js'), text)
    const { code, err } = await load(
      'package.mjs',
      `import 'listens'\nawait new Promise((done) => setTimeout(done, 5000))`,
    )
    assert.equal(code, 2)
    assert.match(err, /it listens by itself\. Export/)
  })

  it('needs tsx or type stripping for TypeScript', async () => {
    mkdirSync(join(folder, 'without/node_modules/tsx'), { recursive: true })
    writeFileSync(join(folder, 'without/node_modules/tsx/package.json'), '{"exports":{}}')
    const { code, out, err } = await load('without/app.ts', `${APP}export const app = made()`)
    if (Reflect.get(process.features, 'typescript')) assert.match(out, /\nGET +\/home /)
    else {
      assert.equal(code, 2)
      assert.match(err, /^Cannot load "without\/app\.ts": it is TypeScript, and the project has no "tsx"\. /)
    }
  })

  it('suggests a similar file if a file does not exist, and rejects a folder', async () => {
    writeFileSync(join(folder, 'similar.ts'), '')
    const [extension, typo, none, inside] = await Promise.all(
      ['similar', 'simlar.ts', 'a/b.ts', '.'].map((name) => verbena(['routes', name], { cwd: folder })),
    )
    assert.match(
      String(extension?.err),
      /^Cannot load "similar": the file does not exist\. Did you mean "similar\.ts"\?\n$/,
    )
    assert.match(String(typo?.err), /Did you mean "similar\.ts"\?\n$/)
    assert.match(String(none?.err), /^Cannot load "a\/b\.ts": the file does not exist\.\n$/)
    assert.match(String(inside?.err), /^Cannot load "\.": it is not a file\. /)
  })
})
