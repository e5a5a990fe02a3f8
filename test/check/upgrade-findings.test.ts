/** `app.check()`: upgrades of an app that is used only through `app.handler`. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { Route, type App } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import { createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'

class Home extends Route {
  get() {
    return 'home'
  }
}

const chat = upgrade({}, (_input, socket) => socket.end())
const routes = { Home, '/chat': chat }

function check(app: App) {
  return app.check().filter(({ code }) => code === 'UPGRADE_UNREACHABLE')
}

describe('app.check(): UPGRADE_UNREACHABLE', () => {
  it('reports each upgrade after app.handler was read, with the fix', () => {
    const app = createUntypedApp({ routes })
    assert.deepEqual(check(app), [])
    assert.equal(typeof app.handler, 'function')
    const [finding, ...others] = check(app)
    assert.deepEqual(others, [])
    assert.deepEqual([finding?.route, finding?.method], ['/chat', 'GET'])
    assert.match(finding?.message ?? '', /^No client can connect to "\/chat": "app\.handler" receives no upgrades$/)
    assert.match(finding?.fix ?? '', /"app\.listen\(\)" or "app\.attach\(server\)"/)
  })

  it('reports nothing without upgrades, and nothing if the app also has a server', (t) => {
    const plain = createUntypedApp({ routes: { Home } })
    const attached = createUntypedApp({ routes, signals: false })
    onCleanup(t, () => attached.close())
    attached.attach(createServer())
    for (const app of [plain, attached]) {
      assert.equal(typeof app.handler, 'function')
      assert.deepEqual(check(app), [])
    }
  })
})
