/** Hot reload of the task page with Vite. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { WebSocket } from 'ws'
import { startServer } from './page-app.js'

describe('Vite by otherwise', () => {
  // The page does not close Vite, because the process of a server ends after the app. Its watcher would keep this process.
  after(() => setTimeout(() => process.exit(), 200).unref())

  it('reloads a changed module over a WebSocket of the same port', async (t) => {
    process.env['NODE_ENV'] = 'development'
    const { app, folder, url } = await startServer('serve-vite-beside-api')
    t.after(() => app.close())
    const client = await (await fetch(`${url}/@vite/client`)).text()
    const token = /wsToken = "(?<token>[^"]+)"/.exec(client)?.groups?.['token']
    assert.ok(token !== undefined)

    // As a browser, which sends the origin of the page.
    const live = `${url.replace('http', 'ws')}/?token=${token}`
    const socket = new WebSocket(live, 'vite-hmr', { origin: url })
    assert.deepEqual(await nextMessage(socket), { type: 'connected' })
    await (await fetch(`${url}/main.js`)).text()
    const script = join(folder, 'web/main.js')
    const changed = nextMessage(socket)
    writeFileSync(script, `${readFileSync(script, 'utf8')}// changed\n`)
    const { type, updates } = await changed
    assert.deepEqual([type, updates[0].path], ['update', '/main.js'])
    assert.match(await (await fetch(`${url}/main.js?t=${updates[0].timestamp}`)).text(), /\/\/ changed/)
    await Promise.all([app.close(), once(socket, 'close')])
  })
})

async function nextMessage(socket: WebSocket) {
  const [data] = await once(socket, 'message')
  return JSON.parse(String(data))
}
