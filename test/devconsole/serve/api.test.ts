import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listRoutes } from '#src/devconsole/serve/api.js'
import type { HostEndpoint } from '#src/devconsole/host/host.js'
import { placeAt } from '#src/devconsole/host/stack.js'

const ENDPOINT: HostEndpoint = {
  ...{ class: 'Files', id: 'Files.get', method: 'GET', template: '/files/{path...}', decorators: ['@log'] },
  place: placeAt('    at <static_initializer> (/app/src/files.ts:7:3)', '/app'),
  ...{
    version: '>=2',
    deprecated: true,
    operation: ['/files/{path}', 'get'],
    vendor: 'any',
    warnings: ['Look'],
    notes: ['Mind'],
  },
}

describe('listRoutes()', () => {
  it('says of each endpoint where it stands, in the code and in the document', () => {
    const hidden = { ...ENDPOINT, operation: null, place: placeAt(undefined, '/app') }
    const { routes, warnings } = listRoutes([ENDPOINT, hidden], '/openapi.json')
    assert.deepEqual(routes[0], {
      ...{ id: 'Files.get', class: 'Files', method: 'GET', template: '/files/{path...}' },
      ...{ place: { file: 'src/files.ts', line: 7 }, decorators: ['@log'], version: '>=2', deprecated: true },
      ...{ operation: ['/files/{path}', 'get'], warnings: ['Look'], notes: ['Mind'] },
    })
    assert.deepEqual([routes[1]?.operation, routes[1]?.place, warnings], [null, null, []])
  })

  it('says that there is no document', () => {
    assert.match(listRoutes([], null).warnings.join(''), /not served/)
  })

  it('takes a place that cannot be read for none', () => {
    assert.equal(placeAt('at native', '/app'), null)
  })
})
