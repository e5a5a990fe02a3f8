import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, provide, Route, type DevConsoleOptions, type MetricsOptions } from 'verbena'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { Health } from '#src/devconsole/wire/view-types.js'
import { read } from '#test/console.js'
import { methodNotes } from '#src/devconsole/host/console-host.js'

class Home extends Route {
  get() {
    return 'fine'
  }
}

/** What the console shows of the option `metrics`. */
async function metricsShown(metrics: string | MetricsOptions | undefined): Promise<string | undefined> {
  await using app = createApp({
    routes: { Home },
    logger: false,
    signals: false,
    devConsole: true,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const { url } = await app.listen()
  const { options } = await read<Health>(`${url}/__dev__/api/health`)
  return options.find(({ name }) => name === 'metrics')?.value
}

describe('consoleHost()', () => {
  it('returns the path of metrics, with or without guards', async () => {
    const guard = provide({ errors: [403] }, () => false)
    assert.equal(await metricsShown('/metrics'), '/metrics')
    assert.equal(await metricsShown({ path: '/figures', uses: { guard } }), '/figures')
    assert.equal(await metricsShown(undefined), 'none')
  })
})

describe('devConsole: editor', () => {
  const editorShown = async (devConsole: DevConsoleOptions): Promise<string | null> => {
    await using app = createApp({ routes: { Home }, logger: false, signals: false, devConsole })
    const { url } = await app.listen()
    return (await read<Snapshot>(`${url}/__dev__/api/snapshot`)).settings.editor
  }

  it('is guessed from the environment unless it is set', async (t) => {
    const { TERM_PROGRAM: before = '' } = process.env
    t.after(() => (process.env['TERM_PROGRAM'] = before))
    process.env['TERM_PROGRAM'] = 'zed'
    assert.equal(await editorShown({}), 'zed://file/{file}:{line}:{column}')
    assert.equal(await editorShown({ editor: 'mine://{file}' }), 'mine://{file}')
    process.env['TERM_PROGRAM'] = ''
    assert.equal(await editorShown({}), null)
  })
})

class Base extends Route {
  postAll(): void {}
}

class Books extends Base {
  readonly getField = (): void => {}
  get(): void {}
  getById(): void {}
  get_by_id(): void {}
  get2(): void {}
  HEAD(): void {}
  options(): void {}
  Delete(): void {}
  getter(): void {}
  postal(): void {}
  format(): void {}
  override postAll(): void {}
  get getLazily(): never {
    throw new Error('not to be read')
  }
}

describe('methodNotes()', () => {
  it('lists each method that looks like an endpoint once, including methods of base classes', () => {
    assert.deepEqual(
      methodNotes(Books.prototype).map((note) => /^"(\w+)" is a helper and no endpoint/.exec(note)?.[1]),
      ['getById', 'get_by_id', 'get2', 'HEAD', 'options', 'Delete', 'postAll'],
    )
    assert.match(methodNotes(Books.prototype)[0] ?? '', /endpoints are the methods get, post, put, patch, delete\.$/)
  })
})
