/** Variables and arguments of an app that `verbena dev` starts. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { APP, MANIFEST } from '#test/dev-app.js'
import { ask, saveFile, startDev } from '#test/dev-command.js'
import { createDirectory } from '#test/temp-directory.js'

describe('verbena dev: environment', { timeout: 240_000 }, () => {
  const app = APP.replace(
    'mode: process.env.NODE_ENV',
    'mode: [process.env.A, process.env.B, process.env.NODE_ENV, ...process.argv.slice(2)].join()',
  )
  const modeOf = async (port: number): Promise<unknown> => JSON.parse((await ask({ port })).text).mode

  it('uses the saved values of a file of node --env-file, unless the environment has another value', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': app, '.env': 'A=1\nB=1\n' })
    await using dev = startDev(folder, ['app.js'], { nodeOptions: ['--env-file=.env'], env: { B: 'own' } })
    const [, port] = await dev.printed(/port (\d+)/)
    assert.equal(await modeOf(Number(port)), '1,own,development')
    const restarted = dev.next('restart')
    saveFile(join(folder, '.env'), 'A=2\nB=2\n')
    await restarted
    assert.equal(await modeOf(Number(port)), '2,own,development')
  })

  it('passes the variables of --env-file to the app and its tests, and arguments to the app', async () => {
    const test = `import { test } from 'node:test'
import assert from 'node:assert/strict'
test('variables', () => assert.deepEqual([process.env.A, process.env.NODE_ENV], ['2', 'staging']))`
    const folder = createDirectory({
      ...{ ...MANIFEST, 'app.js': app, 'a.test.js': test },
      ...{ 'dev.env': 'A=1\nNODE_ENV=staging', 'b.env': 'B=1' },
    })
    const args = ['app.js', '--env-file=dev.env', '--env-file', 'b.env', '--test', '--', '--flag', 'dev.env', '--json']
    await using dev = startDev(folder, args, { text: true, env: { NODE_ENV: 'staging' } })
    const [, port] = await dev.printed(/port (\d+)/)
    assert.equal(await modeOf(Number(port)), '1,1,staging,--flag,dev.env,--json')
    saveFile(join(folder, 'dev.env'), 'A=2\nNODE_ENV=staging')
    await dev.printed(/Changed dev\.env\n[^]*1 test passed/)
    assert.equal(await modeOf(Number(port)), '2,1,staging,--flag,dev.env,--json')
  })

  it('stores compiled code in node_modules, and does not name the folder to the app', async () => {
    const show = APP.replace('mode: process.env.NODE_ENV', 'mode: process.env.NODE_COMPILE_CACHE ?? "none"')
    const folder = createDirectory({ ...MANIFEST, 'app.js': show, 'node_modules/a.txt': '' })
    const env = { NODE_V8_COVERAGE: '' }
    await using dev = startDev(folder, ['app.js'], { env })
    const [, port] = await dev.printed(/port (\d+)/)
    assert.equal(await modeOf(Number(port)), 'none')
    assert.equal(await dev.end(), 0)
    // Node 20 has no such cache.
    const hasCache = 'enableCompileCache' in (await import('node:module'))
    assert.equal(existsSync(join(folder, 'node_modules/.cache/verbena-compile-cache')), hasCache)
    await using own = startDev(folder, ['app.js'], { env: { ...env, NODE_COMPILE_CACHE: join(folder, 'own') } })
    const [, other] = await own.printed(/port (\d+)/)
    assert.equal(await modeOf(Number(other)), join(folder, 'own'))
  })
})
