/** What stores send through a client. `examples/scale` runs the same against Redis itself. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redisCommand, redisScript } from '#src/features/stores/redis/commands.js'
import { assertSetupError } from '#test/apps.js'

describe('redisCommand()', () => {
  it('sends commands through clients of redis and ioredis', async () => {
    const calling = { call: async (...args: string[]) => args, sendCommand: async () => 'of the object Command' }
    const sending = { sendCommand: async (args: string[]) => args }
    for (const client of [calling, sending]) {
      assert.deepEqual(await redisCommand(client, 'redisLimits')('SET', 'a', 'b'), ['SET', 'a', 'b'])
    }
  })

  it('removes the sent command from errors of ioredis', async () => {
    const error = Object.assign(new Error('OOM command not allowed'), {
      command: { name: 'SET', args: ['k', 'secret'] },
    })
    for (const thrown of [error, 'OOM command not allowed']) {
      const failing = async (): Promise<never> => Promise.reject(thrown)
      for (const client of [{ call: failing }, { sendCommand: failing }]) {
        await assert.rejects(redisCommand(client, 'redisLimits')('SET', 'k', 'secret'), (caught) => {
          assert.deepEqual({ ...Object(caught) }, {})
          assert.equal(Object(caught).message, 'OOM command not allowed')
          return true
        })
      }
    }
  })

  it('rejects anything but a client', () => {
    for (const client of [null, 'redis://127.0.0.1', {}, { call: 'GET' }, { connect: () => {} }]) {
      assertSetupError(
        // @ts-expect-error - none of them has a method that sends commands
        () => redisCommand(client, 'redisLimits'),
        'OPTION_INVALID',
        'the argument "client" of redisLimits(): it must be',
      )
    }
  })
})

describe('redisScript()', () => {
  const LUA = 'return 1'
  const DIGEST = 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db'

  it('sends the digest of a script, and the whole script if Redis does not know it', async () => {
    const sent: string[][] = []
    const run = redisScript(async (...args) => {
      sent.push(args)
      if (args[0] === 'EVALSHA') throw new Error('NOSCRIPT No matching script.')
      return 1
    }, LUA)
    assert.equal(await run(['k1', 'k2'], ['a']), 1)
    assert.deepEqual(sent, [
      ['EVALSHA', DIGEST, '2', 'k1', 'k2', 'a'],
      ['EVAL', LUA, '2', 'k1', 'k2', 'a'],
    ])
  })

  it('rethrows all other errors', async () => {
    for (const error of [new Error('Connection is closed.'), 'a text', null]) {
      const failing = async (): Promise<never> => Promise.reject(error)
      await assert.rejects(redisScript(failing, LUA)([], []), (thrown) => thrown === error)
    }
  })
})
