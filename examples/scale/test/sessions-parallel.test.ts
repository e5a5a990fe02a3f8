/** `session`: parallel requests of one browser, with sessions in Redis, through both clients. */
import { describe } from 'node:test'
import { redisSessions } from 'verbena/redis'
import { testParallelSessions } from '#test/parallel-sessions.js'
import { PACKAGES, RedisClients } from './redis-clients.js'

const clients = new RedisClients()

for (const name of PACKAGES) {
  describe(`session: parallel requests with Redis, by ${name}`, () => {
    testParallelSessions(() => redisSessions(clients.of(name), { prefix: `${name}-parallel:` }))
  })
}
