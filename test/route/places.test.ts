import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordPlaces, notePlace, contractLocation } from '#src/route/route.js'

function note(spec: object): void {
  notePlace(spec, note)
}

describe('notePlace()', () => {
  it('records the line of the caller after recordPlaces(), and restores Error.stackTraceLimit', () => {
    const unseen = {}
    note(unseen)
    assert.equal(contractLocation(unseen), undefined)
    recordPlaces()
    const { stackTraceLimit } = Error
    const seen = {}
    note(seen)
    assert.match(contractLocation(seen) ?? '', /places\.test\.ts:\d+:\d+/)
    assert.equal(Error.stackTraceLimit, stackTraceLimit)
  })
})
