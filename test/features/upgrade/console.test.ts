/** Upgrades in the console. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bearer, createApp } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { RouteList } from '#src/devconsole/wire/view-types.js'
import { read, snapshotWhere } from '#test/console.js'
import { requestUpgrade, hail, Raw, SWITCHING } from '#test/upgrades.js'

describe('console: upgrades', () => {
  it('lists upgrades as routes, and their connections as requests that end with the connection', async () => {
    const user = bearer((token) => token === 'a')
    const live = upgrade({ uses: { user } }, (_, socket) => {
      socket.write(SWITCHING)
      socket.on('data', () => socket.end())
    })
    await using app = createApp({ routes: { '/live': live }, devConsole: { slow: 1 }, logger: false, signals: false })
    const { url, port } = await app.listen()
    const { routes } = await read<RouteList>(`${url}/__dev__/api/routes`)
    assert.deepEqual(
      routes.map(({ id, method, template, notes, operation }) => ({ id, method, template, notes, operation })),
      [
        {
          ...{ id: '/live.get', method: 'GET', template: '/live', operation: null },
          notes: ['It hands the connection over to a protocol: clients have to ask for "websocket".'],
        },
      ],
    )

    const raw = new Raw(port).write(hail('/live', 'Authorization: Bearer a\r\n'))
    await raw.until(SWITCHING)
    await requestUpgrade(port, hail('/live'))
    await sleep(5)
    raw.write('x')
    await raw.closed
    const { requests } = await snapshotWhere(url, (all) => all.requests.length === 2)
    const records = await Promise.all(
      requests.map(({ id }) => read<RequestRecord>(`${url}/__dev__/api/requests/${id}`)),
    )
    const shown = records.map((record) => [
      record['http.response.status_code'],
      record.aborted,
      record['dev.flags'].includes('slow') && record['http.response.status_code'] === 101,
      record.response.headers.length > 0,
    ])
    // An open upgrade is never flagged as slow.
    assert.deepEqual(
      new Set(shown),
      new Set([
        [101, false, false, false],
        [401, false, false, true],
      ]),
    )
    assert.deepEqual(
      records.map((record) => record['code.file.path']),
      ['test/features/upgrade/console.test.ts', 'test/features/upgrade/console.test.ts'],
    )
  })
})
