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
  [{}, '"errorFormat.schema"', 'it is missing'],
  [{ ...good, schema: undefined }, '"errorFormat.schema"', 'it is missing'],
  [{ ...good, schema: { code: 1 } }, 'it must be a schema', 'Standard Schema 1'],
  [{ schema: good.schema }, '"errorFormat.write"', 'it is missing', 'write: (problem) => ({ … })'],
  [{ ...good, write: undefined }, '"errorFormat.write"', 'it is missing'],
  [{ ...good, wirte: good.write }, '"errorFormat.wirte"', 'Did you mean "write"?'],
  [{ ...good, mediaType: 7 }, 'it must be a JSON type', "'application/json'"],
  [{ ...good, mediaType: 'text/html' }, 'it must be a JSON type', 'not "text/html"'],
  [{ ...good, mediaType: 'json' }, '"errorFormat.mediaType"', 'it must be a JSON type'],
  [{ ...good, mediaType: '' }, '"errorFormat.mediaType"', 'it must be a JSON type'],
  [{ ...good, mediaType: 'application/json\r\nx: y' }, '"errorFormat.mediaType"', 'it must be a JSON type'],
  [{ ...good, mediaType: 'application/json; a="ä"' }, '"errorFormat.mediaType"', 'it must be a JSON type'],
]

describe('checkErrorFormat()', () => {
  for (const [format, ...says] of REFUSED) {
    it(`rejects a format in an app and in a group: ${says.join(', ')}`, () => {
      const option = 'Cannot use the option "errorFormat'
      assertSetupError(
        () => createUntypedApp({ routes: { Home }, errorFormat: format }),
        'OPTION_INVALID',
        option,
        'of createApp()',
        ...says,
      )
      assertSetupError(
        () => looseGroup({ routes: { Home }, errorFormat: format }),
        'OPTION_INVALID',
        option,
        'of group()',
        ...says,
      )
    })
  }

  for (const mediaType of ['application/json', 'application/vnd.acme.error+json', 'application/json; charset=utf-8']) {
    it(`accepts the media type ${mediaType}`, () => {
      createApp({ routes: { Home }, errorFormat: { ...good, mediaType } })
    })
  }
})
