import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { assertSetupError, looseGroup, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

class Home extends Route {
  async get() {}
}
const good = { schema: z.object({ code: z.number() }), write: () => ({ code: 1 }) }

const REFUSED: readonly (readonly [format: unknown, ...says: string[]])[] = [
  ['problem', 'it is no record', 'errorFormat: { schema, write: (problem) => ({ … }) }'],
  [null, 'it is no record'],
  [[good], 'it is no record'],
  [{}, '"schema" is no schema'],
  [{ ...good, schema: undefined }, '"schema" is no schema'],
  [{ ...good, schema: { code: 1 } }, '"schema" is no schema', 'Standard Schema 1'],
  [{ schema: good.schema }, '"write" is no function', 'write: (problem) => ({ … })'],
  [{ ...good, write: undefined }, '"write" is no function'],
  [{ ...good, wirte: good.write }, 'unknown key "wirte"', 'Did you mean "write"?'],
  [{ ...good, mediaType: 7 }, '"mediaType" is no JSON', '"application/json"'],
  [{ ...good, mediaType: 'text/html' }, '"mediaType" is no JSON', '"+json"'],
  [{ ...good, mediaType: 'json' }, '"mediaType" is no JSON'],
  [{ ...good, mediaType: '' }, '"mediaType" is no JSON'],
  [{ ...good, mediaType: 'application/json\r\nx: y' }, '"mediaType" is no JSON'],
  [{ ...good, mediaType: 'application/json; a="ä"' }, '"mediaType" is no JSON'],
]

describe('checkErrorFormat()', () => {
  for (const [format, ...says] of REFUSED) {
    it(`refuses one of which it says ${says.join(', ')}, in an app and in a group`, () => {
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
    it(`takes ${mediaType}`, () => {
      createApp({ routes: { Home }, errorFormat: { ...good, mediaType } })
    })
  }
})
