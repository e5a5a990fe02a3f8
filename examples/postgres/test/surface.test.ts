/** The surface of the bank is the file beside it. No database is needed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { surface } from 'verbena/prove'
import { bankApp } from '../app.js'

it('has the surface of surface.txt', () => {
  const app = bankApp({ report: () => {} }, { logger: false })
  assert.equal(surface(app), readFileSync(new URL('../surface.txt', import.meta.url), 'utf8'))
})
