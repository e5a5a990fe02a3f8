import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { describe, it } from 'node:test'
import { statusTitle } from '#src/errors/status.js'

/** Titles that RFC 9110 changed and Node did not, and statuses that are not in the registry. */
const NOT_AS_NODE_SAYS = new Map([
  [413, 'Content Too Large'],
  [418, 'Client Error'],
  [422, 'Unprocessable Content'],
  [506, 'Server Error'],
  [509, 'Server Error'],
  [510, 'Server Error'],
])

describe('statusTitle()', () => {
  it('returns the registered titles (RFC 9110 section 15)', () => {
    for (const [code, name] of Object.entries(STATUS_CODES)) {
      const status = Number(code)
      if (status >= 400) assert.equal(statusTitle(status), NOT_AS_NODE_SAYS.get(status) ?? name, code)
    }
  })

  it('returns a general title for any other status', () => {
    assert.equal(statusTitle(499), 'Client Error')
    assert.equal(statusTitle(599), 'Server Error')
  })
})
