import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/console.js'
import { describeHealth } from '#src/devconsole/health.js'
import { Secrets } from '#src/telemetry/secrets.js'
import { hostOf } from '#test/console-host.js'

const TOKEN = 'a-token-of-the-option'

describe('describeHealth()', () => {
  it('says who can see the console, and what is not as it should be', () => {
    const well = describeHealth(makeParts(hostOf()))
    assert.deepEqual(
      well.guards.filter(({ ok }) => !ok),
      [],
    )
    const options = {
      allow: ['172.17.0.1'],
      allowedHosts: ['dev.example'],
      token: TOKEN,
      captureBodies: 'raw',
    } as const
    const shared = describeHealth(makeParts(hostOf({ isGuarded: true, options })))
    assert.deepEqual(
      shared.guards.filter(({ ok }) => !ok).map(({ title }) => title),
      ['Other machines may see it', 'Bodies: raw'],
    )
    const texts = JSON.stringify(shared)
    assert.ok(texts.includes('172.17.0.1') && texts.includes('dev.example') && texts.includes('Opened with a token'))
    assert.ok(!texts.includes(TOKEN))
    assert.deepEqual(shared.options.at(-1), { name: 'devConsole.token', value: 'given', secret: true })
  })

  it('says which of the usual secrets are not hidden', () => {
    const secrets = new Secrets({ keys: [], headers: ['x-own'], replaceDefaults: true })
    const { guards } = describeHealth(makeParts(hostOf({ secrets })))
    assert.deepEqual(guards.at(-1), {
      ok: false,
      title: 'Not all of the usual secrets are hidden',
      detail: 'Lists of your own stand in the place of the usual headers, keys (redact.replaceDefaults)',
    })
  })

  it('says what recording has cost', () => {
    const parts = makeParts(hostOf())
    const costOf = () => describeHealth(parts).cost.find(({ name }) => name === 'time a request')?.value
    assert.equal(costOf(), '0.0 µs, recording alone')
    parts.recorder.begin({ method: 'GET', url: '/' })
    assert.match(costOf() ?? '', /^\d+\.\d µs/)
  })
})
