/** The Redis features that stores use, with both clients. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redisCommand, redisScript } from '#src/features/stores/redis/commands.js'
import { PACKAGES, RedisClients } from './redis-clients.js'

const clients = new RedisClients()

for (const name of PACKAGES) {
  describe(`a client of ${name}`, () => {
    it('sends commands, and returns their results', async () => {
      const command = redisCommand(clients.of(name), 'redisLimits')
      assert.equal(await command('SET', `a:${name}`, 'é', 'PX', '60000'), 'OK')
      assert.equal(await command('GET', `a:${name}`), 'é')
      assert.equal(await command('GET', 'none'), null)
      assert.equal(await command('DEL', `a:${name}`), 1)
      await assert.rejects(command('HGET', 'a'), /wrong number of arguments/)
    })

    it('runs scripts, even if Redis has forgotten them', async () => {
      const command = redisCommand(clients.of(name), 'redisLimits')
      const add = redisScript(command, "return redis.call('INCRBY', KEYS[1], ARGV[1])")
      assert.equal(await add([`n:${name}`], ['2']), 2)
      assert.equal(await add([`n:${name}`], ['3']), 5)
      await command('SCRIPT', 'FLUSH')
      assert.equal(await add([`n:${name}`], ['1']), 6)
      await assert.rejects(redisScript(command, 'return redis.call("NONE")')([], []), /Unknown Redis command/)
    })
  })
}
