import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { rejectionLogger, type Verdict } from '#src/devconsole/serve/check-visitor.js'

function told({ mock }: TestContext) {
  const lines: string[] = []
  const clock = { now: 0 }
  mock.method(performance, 'now', () => clock.now)
  return { lines, clock, tell: rejectionLogger((line) => void lines.push(line)) }
}

const verdict = (reason: string, fix = ''): Verdict => ({ status: 403, reason, fix })

describe('rejectionLogger()', () => {
  it('logs each reason once per minute, with a fix if there is one', (test) => {
    const { lines, clock, tell } = told(test)
    tell('10.0.0.1', verdict('not loopback', "devConsole: { allow: ['10.0.0.1'] }"))
    tell('10.0.0.2', verdict('not loopback'))
    tell('', verdict('other'))
    clock.now = 59_999
    tell('10.0.0.3', verdict('not loopback'))
    clock.now = 60_000
    tell('10.0.0.4', verdict('not loopback'))
    assert.deepEqual(lines, [
      "__dev__ rejected a request from 10.0.0.1: not loopback. To allow: devConsole: { allow: ['10.0.0.1'] }",
      '__dev__ rejected a request from a peer without an address: other',
      '__dev__ rejected a request from 10.0.0.4: not loopback',
    ])
  })

  it('logs at most 100 reasons per minute', (test) => {
    const { lines, clock, tell } = told(test)
    for (let host = 0; host < 1_000; host++) tell('10.0.0.1', verdict(`host ${host}`))
    assert.equal(lines.length, 100)
    clock.now = 60_000
    tell('10.0.0.1', verdict('host new'))
    assert.equal(lines.length, 101)
  })
})
