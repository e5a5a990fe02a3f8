import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import type { HiddenTests } from '../hidden-tests.js'

const accept = (version: string): RequestInit => ({ headers: { 'accept-version': version } })

export const hidden: HiddenTests = {
  async 'has two versions'({ app }) {
    await using test = await testApp(app)
    const old = { name: 'Ada Lovelace' }
    assert.deepEqual(await (await test.fetch('/users/7')).json(), old)
    for (const version of ['1', '1.4']) {
      assert.deepEqual(await (await test.fetch('/users/7', accept(version))).json(), old)
    }
    assert.deepEqual(await (await test.fetch('/users/7', accept('2'))).json(), { first: 'Ada', last: 'Lovelace' })
  },

  async 'rejects other versions and users'({ app }) {
    await using test = await testApp(app)
    assert.equal((await test.fetch('/users/7', accept('3'))).status, 406)
    for (const version of ['1', '2']) assert.equal((await test.fetch('/users/8', accept(version))).status, 404)
  },

  async 'lets caches distinguish the versions'({ app }) {
    await using test = await testApp(app)
    for (const init of [{}, accept('1'), accept('2'), accept('3')]) {
      const { headers, status } = await test.fetch('/users/7', init)
      const vary = headers.get('vary') ?? ''
      assert.match(vary, /\baccept-version\b/i, `A cache mixes up the versions: a ${status} has "vary: ${vary}"`)
    }
  },
}
