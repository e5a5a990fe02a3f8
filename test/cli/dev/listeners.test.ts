/**
 * What `verbena dev` leaves after random sequences of saves and requests: one process, and no further descriptor or socket.
 *
 * `DEV_SEED` repeats a run, `DEV_COUNT` makes it longer; `npm run test:dev-sequences` does so.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createProject } from '#test/command-line.js'
import { saveFile, startDev } from '#test/dev-command.js'
import { countChildren, runSequence } from '#test/dev-sequences.js'
import { eventually } from '#test/eventually.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'
const SEED = Number(process.env['DEV_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['DEV_COUNT'] ?? 10)
const SAVES = 60
const SAVE_INTERVAL = 150

describe('verbena dev', { timeout: 4 * 3_600_000, skip: process.platform !== 'linux' }, () => {
  it('leaves one process, and no further descriptor or socket after random sequences', async (test) => {
    using project = await createProject({})
    const counts = new Map<string, number>()
    for (let index = 0; index < COUNT; index++) {
      const seed = SEED + index
      const run = runSequence(join(project.folder, String(index)), join(project.folder, PROGRAM), seed)
      const names = await run.catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
      })
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const steps = [...counts].map(([name, count]) => `${count} ${name}`)
    test.diagnostic(`${COUNT} sequences, seed ${SEED}: ${steps.join(', ')}`)
  })

  it('runs at most three processes during 60 saves in 9 s, and one after them', async () => {
    using project = await createProject({
      'app.js': `import { createServer } from 'node:http'
import { version } from './version.js'
createServer((request, response) => response.end(String(version))).listen(0, () => console.log('listens', version))`,
      'version.js': 'export const version = 0\n',
    })
    await using dev = startDev(project.folder, ['app.js'], { program: join(project.folder, PROGRAM) })
    await dev.printed(/listens 0/)
    const counts: number[] = []
    for (let version = 1; version <= SAVES; version++) {
      saveFile(join(project.folder, 'version.js'), `export const version = ${version}\n`)
      await sleep(SAVE_INTERVAL)
      counts.push(countChildren(dev.child))
    }
    assert.ok(Math.max(...counts) <= 3, counts.join())
    await dev.printed(new RegExp(`listens ${SAVES}\n`))
    await eventually(() => assert.equal(countChildren(dev.child), 1))
  })
})
