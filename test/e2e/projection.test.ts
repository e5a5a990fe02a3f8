/** Responses contain only declared properties, with every library and every kind of `returns`. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createApp, reply, Route, type App } from 'verbena'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type as arktype } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { sendRequest } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

const HASH = 'scrypt$4711'
const stored = { id: '1', name: 'Ada', passwordHash: HASH, address: { city: 'London', doorCode: HASH } }
const shown = { id: '1', name: 'Ada', address: { city: 'London' } }

const Zod = z.object({ id: z.string(), name: z.string(), address: z.object({ city: z.string() }) })
const Loose = z.looseObject({ id: z.string(), name: z.string() }).pipe(Zod)
const Valibot = v.object({ id: v.string(), name: v.string(), address: v.object({ city: v.string() }) })
const Arktype = arktype({ id: 'string', name: 'string', address: { city: 'string' } })

class ZodUser extends Route {
  static readonly get = this.contract({ returns: Zod })
  get() {
    return stored
  }
}
class ZodUsers extends Route {
  static readonly get = this.contract({ returns: z.array(Zod) })
  get() {
    return [stored, stored]
  }
}
class ZodRecord extends Route {
  static readonly get = this.contract({ returns: { 200: Zod, 404: z.null() } })
  get() {
    return reply(200, stored)
  }
}
class ZodPiped extends Route {
  static readonly get = this.contract({ returns: Loose })
  get() {
    return stored
  }
}
class ZodUnion extends Route {
  static readonly get = this.contract({
    returns: z.union([Zod, z.object({ kind: z.literal('admin'), passwordHash: z.string() })]),
  })
  get() {
    return stored
  }
}
class ValibotUser extends Route {
  static readonly get = this.contract({ returns: Valibot })
  get() {
    return stored
  }
}
class ValibotUsers extends Route {
  static readonly get = this.contract({ returns: v.array(Valibot) })
  get() {
    return [stored, stored]
  }
}
class ArktypeUser extends Route {
  static readonly get = this.contract({ returns: Arktype })
  get() {
    return stored
  }
}
class ArktypeUsers extends Route {
  static readonly get = this.contract({ returns: Arktype.array() })
  get() {
    return [stored, stored]
  }
}

const ROUTES = {
  ZodUser,
  ZodUsers,
  ZodRecord,
  ZodPiped,
  ZodUnion,
  ValibotUser,
  ValibotUsers,
  ArktypeUser,
  ArktypeUsers,
}
const TARGETS = [
  '/zod-user',
  '/zod-users',
  '/zod-record',
  '/zod-piped',
  '/zod-union',
  '/valibot-user',
  '/valibot-users',
  '/arktype-user',
  '/arktype-users',
]

for (const validateResponses of [true, false]) {
  describe(`a password hash with validateResponses: ${validateResponses}`, () => {
    const app: App = createApp({
      ...{ routes: ROUTES, logger: false, signals: false, validateResponses },
      jsonSchema: { valibot: toJsonSchema },
    })
    let port = 0
    before(async () => {
      port = (await app.listen()).port
    })
    after(() => app.close())

    for (const target of TARGETS) {
      it(`never appears in the response of ${target}`, async () => {
        const expected = target.endsWith('users') ? [shown, shown] : shown
        const inMemory = await sendRequest(app, target)
        const onTheWire = await askWire(port, { target })
        for (const { status, text } of [inMemory, { status: onTheWire.status, text: onTheWire.body }]) {
          assert.equal(status, 200, text)
          assert.deepEqual(JSON.parse(text), expected)
          assert.doesNotMatch(text, /passwordHash|doorCode|scrypt/)
        }
      })
    }
  })
}
