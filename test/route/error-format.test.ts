import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { assertSetupError, looseGroup, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

class Home extends Route {
  async get() {}
}
const good = { schema: z.object({ code: z.number() }), write: () => ({ code: 1 }) }

const REFUSED: readonly (readonly [format: unknown, ...says: string[]])[] = [
  ['problem', 'it must be an object', 'errorFormat: { schema, write: (problem) => ({ … }) }'],
  [null, 'it must be an object'],
  [[good], 'it must be an object'],
  [{}, '"schema" must be a schema'],
  [{ ...good, schema: undefined }, '"schema" must be a schema'],
  [{ ...good, schema: { code: 1 } }, '"schema" must be a schema', 'Standard Schema 1'],
  [{ schema: good.schema }, '"write" must be a function', 'write: (problem) => ({ … })'],
  [{ ...good, write: undefined }, '"write" must be a function'],
  [{ ...good, wirte: good.write }, 'unknown key "wirte"', 'Did you mean "write"?'],
  [{ ...good, mediaType: 7 }, '"mediaType" must be a JSON type', '"application/json"'],
  [{ ...good, mediaType: 'text/html' }, '"mediaType" must be a JSON type', '"+json"'],
  [{ ...good, mediaType: 'json' }, '"mediaType" must be a JSON type'],
  [{ ...good, mediaType: '' }, '"mediaType" must be a JSON type'],
  [{ ...good, mediaType: 'application/json\r\nx: y' }, '"mediaType" must be a JSON type'],
  [{ ...good, mediaType: 'application/json; a="ä"' }, '"mediaType" must be a JSON type'],
]

describe('checkErrorFormat()', () => {
  for (const [format, ...says] of REFUSED) {
    it(`rejects a format in an app and in a group: ${says.join(', ')}`, () => {
      const option = 'Cannot use option "errorFormat"'
      assertSetupError(
        () => createUntypedApp({ routes: { Home }, errorFormat: format }),
        'OPTION_INVALID',
        option,
        ...says,
      )
      const member = 'Cannot use the "errorFormat" of a group'
      assertSetupError(() => looseGroup({ routes: { Home }, errorFormat: format }), 'ROUTE_INVALID', member, ...says)
    })
  }

  for (const mediaType of ['application/json', 'application/vnd.acme.error+json', 'application/json; charset=utf-8']) {
    it(`accepts the media type ${mediaType}`, () => {
      createApp({ routes: { Home }, errorFormat: { ...good, mediaType } })
    })
  }
})
