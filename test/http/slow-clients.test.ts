import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { ResponseReader, Watch } from '#src/http/slow-clients.js'

/** A socket whose reader has taken so many bytes; more wait for it. */
function slowSocket(): { socket: Socket; state: { taken: number; waiting: number } } {
  const state = { taken: 0, waiting: 1_000_000 }
  const socket = new Socket()
  Object.defineProperty(socket, 'writableLength', { get: () => state.waiting })
  Object.defineProperty(socket, 'bytesWritten', { get: () => state.taken + state.waiting })
  return { socket, state }
}

const LIMIT = 30_000

/** Reads for so many seconds, so many bytes at a time; says in which second it is cut. */
function cutAt(
  seconds: number,
  bytesIn: (second: number) => number,
  { socket, state } = slowSocket(),
): number | undefined {
  const cuts: number[] = []
  let second = 0
  const watch = new Watch(LIMIT)
  const reader = new ResponseReader(socket, watch, () => void cuts.push(second))
  watch.add(reader)
  for (; second <= seconds && cuts.length === 0; second++) {
    state.taken += bytesIn(second)
    reader.check(second * 1000)
  }
  socket.destroy()
  reader.check(second * 1000)
  return cuts[0]
}

const nowAndThen = (second: number): number => (second % 29 === 0 ? 1 : 0)

describe('ResponseReader', () => {
  it('disconnects a client after 30 s without reading', () => {
    assert.equal(
      cutAt(100, () => 0),
      30,
    )
    assert.equal(
      cutAt(100, (second) => (second < 20 ? 1_000_000 : 0)),
      49,
    )
  })

  it('disconnects a client that reads a byte occasionally, regardless of earlier reads', () => {
    assert.equal(cutAt(100, nowAndThen), 30)
    assert.equal(
      cutAt(1000, (second) => (second < 100 ? 1_000_000 : nowAndThen(second))),
      150,
    )
  })

  it('accepts a client that reads 1 kB a second on average', () => {
    assert.equal(
      cutAt(1000, () => 1000),
      undefined,
    )
    assert.equal(
      cutAt(1000, (second) => (second % 20 === 10 ? 60_000 : 0)),
      undefined,
    )
    assert.equal(
      cutAt(1000, () => 900),
      30,
    )
  })

  it('accepts a client while no bytes are pending', () => {
    const slow = slowSocket()
    const bytesIn = (second: number): number => {
      slow.state.waiting = second % 20 === 0 ? 0 : 10
      return 0
    }
    assert.equal(cutAt(1000, bytesIn, slow), undefined)
  })
})
