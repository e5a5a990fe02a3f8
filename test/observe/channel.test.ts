import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Channel } from '#src/observe/channel.js'
import { callEnd } from '#test/call-events.js'

const END = callEnd({})
const START = { ...END, url: '/' }

describe('Channel', () => {
  it('is subscribed from the first listener on', () => {
    const channel = new Channel()
    assert.equal(channel.isSubscribed, false)
    channel.subscribe({ end() {} })
    assert.equal(channel.isSubscribed, true)
  })

  it('reports which events have listeners', () => {
    const channel = new Channel()
    channel.subscribe({ end() {} })
    assert.deepEqual(
      [channel.hasListeners('start'), channel.hasListeners('end'), channel.hasListeners('error')],
      [false, true, false],
    )
  })

  it('sends each event to its listeners in the order of subscription', () => {
    const channel = new Channel()
    const seen: unknown[] = []
    channel.subscribe({ start: (event) => seen.push(['first', event]), end: (event) => seen.push(['first', event]) })
    channel.subscribe({ end: (event) => seen.push(['second', event]) })
    channel.emit('start', START)
    channel.emit('end', END)
    channel.emit('error', { ...END, error: 1, message: 'failed' })
    assert.deepEqual(seen, [
      ['first', START],
      ['first', END],
      ['second', END],
    ])
  })

  it('calls the next listener if one throws', () => {
    const channel = new Channel()
    let count = 0
    channel.subscribe({ end: () => assert.fail('a listener') })
    channel.subscribe({ end: () => count++ })
    channel.emit('end', END)
    assert.equal(count, 1)
  })
})
