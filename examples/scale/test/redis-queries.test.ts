/** Commands of both Redis clients in the records of the console, which the clients report on their channels. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient } from 'redis'
import { startRecordedApp, type RecordedApp } from '../../postgres/test/recorded-app.js'
import { RedisClients } from './redis-clients.js'

const clients = new RedisClients()
let app: RecordedApp

before(async () => {
  app = await startRecordedApp()
})
after(() => app.close())

/** Returns kind, text, target and error of the queries that `work` sends; all of them have ended. */
async function queriesOf(work: () => unknown): Promise<unknown[]> {
  const { queries } = await app.recordOf(work)
  for (const { text, duration } of queries) assert.equal(typeof duration, 'number', text)
  return queries.map(({ kind, text, target, error }) => [kind, text, target, error])
}

const [TARGET, FAILURE] = ['127.0.0.1/0', "ERR wrong number of arguments for 'hget' command"]

describe('queries of ioredis', () => {
  it('records commands with their target and error, without written values', async () => {
    const client = clients.connect()
    // ioredis reports commands that wait for the connection when it is ready, outside of their request.
    await client.ping()
    const queries = await queriesOf(async () => {
      await client.set('user:7', 'hunter2', 'PX', 60_000)
      assert.equal(await client.get('user:7'), 'hunter2')
      await assert.rejects(client.call('HGET', 'user:7'), /wrong number/)
      await client.multi().get('a').get('b').exec()
    })
    assert.deepEqual(queries, [
      ['redis', 'set user:7 ? ? ?', TARGET, null],
      ['redis', 'get user:7', TARGET, null],
      ['redis', 'HGET ?', TARGET, FAILURE],
      ['redis', 'multi', TARGET, null],
      ['redis', 'get a', TARGET, null],
      ['redis', 'get b', TARGET, null],
      ['redis', 'exec', TARGET, null],
    ])
  })
})

describe('queries of redis', () => {
  it('records commands with their target and error, without written values', async () => {
    const client = createClient({ url: clients.server.url })
    await client.connect()
    const queries = await queriesOf(async () => {
      await client.set('user:7', 'hunter2', { expiration: { type: 'PX', value: 60_000 } })
      assert.equal(await client.get('user:7'), 'hunter2')
      await assert.rejects(client.sendCommand(['HGET', 'user:7']), /wrong number/)
      await client.multi().get('a').get('b').exec()
      await client.multi().get('a').execAsPipeline()
    })
    client.destroy()
    assert.deepEqual(queries, [
      ['redis', 'SET user:7 ? ? ?', TARGET, null],
      ['redis', 'GET user:7', TARGET, null],
      ['redis', 'HGET ?', TARGET, FAILURE],
      ['redis', 'MULTI (2 commands)', TARGET, null],
      ['redis', 'GET a', TARGET, null],
    ])
  })
})
