import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { describeHealth } from '#src/devconsole/serve/health.js'
import { Secrets } from '#src/secrets/secrets.js'
import { createHost } from '#test/console-host.js'
import { QUIET } from '#test/console-trails.js'

const TOKEN = 'a-token-of-the-option'

describe('describeHealth()', () => {
  it('reports who can access the console, and warnings', () => {
    const well = describeHealth(makeParts(createHost()))
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
    const shared = describeHealth(makeParts(createHost({ isGuarded: true, options })))
    assert.deepEqual(
      shared.guards.filter(({ ok }) => !ok).map(({ title }) => title),
      ['Other machines may see it', 'Bodies: raw'],
    )
    const texts = JSON.stringify(shared)
    assert.ok(texts.includes('172.17.0.1') && texts.includes('dev.example') && texts.includes('Opened with a token'))
    assert.ok(!texts.includes(TOKEN))
    assert.match(JSON.stringify(well.guards), /Open to browsers on this machine","detail":"Because NODE_ENV is /)
    assert.deepEqual(shared.options.at(-1), { name: 'devConsole.token', value: 'given', secret: true })
  })

  it('warns if default secrets are not redacted', () => {
    const secrets = new Secrets({ keys: [], headers: ['x-own'], replaceDefaults: true })
    const { guards } = describeHealth(makeParts(createHost({ secrets })))
    assert.deepEqual(guards.at(-1), {
      ok: false,
      title: 'Some of the default secrets are not hidden',
      detail: 'Lists of your own stand in the place of the usual headers, keys (redact.replaceDefaults)',
    })
  })

  it('reports how many requests are stored, and the maximum that the page shows', () => {
    const parts = makeParts(createHost())
    const { count, maxCount } = parts.store.facts(0)
    const stored = describeHealth(parts).cost.find(({ name }) => name === 'Stored requests')
    assert.match(
      stored?.value ?? '',
      new RegExp(`^${count} of ${maxCount}\\. The newest 500 are stored, and in addition 100 failed`),
    )
  })

  it('reports the recording time of the newest requests, with a note for the first ones', () => {
    const parts = makeParts(createHost())
    const { cost } = parts.recorder
    const costOf = () => describeHealth(parts).cost.find(({ name }) => name === 'Recording a request')?.value
    assert.equal(costOf(), 'none was recorded yet')
    for (const time of [3, 0.0123, 0.25]) cost.add(time)
    const cold = 'The first ones take longer: their code is cold'
    assert.equal(costOf(), `median of the last 3: 250 µs, longest: 3.0 ms. ${cold}`)
    for (let time = 0; time < 100; time++) cost.add(0.0123)
    assert.equal(costOf(), 'median of the last 100: 12.3 µs, longest: 12.3 µs')
  })

  it('receives the time of each recording from the recorder', () => {
    const parts = makeParts(createHost())
    const trail = parts.recorder.begin({ method: 'GET', url: '/' }, performance.now())
    assert.equal(parts.recorder.cost.count, 0)
    trail?.end(QUIET)
    assert.equal(parts.recorder.cost.count, 1)
    assert.ok(parts.recorder.cost.median > 0)
  })

  it('reports the process, its start time and its load', (t) => {
    const started = Date.now() - 217_000
    const parts = { ...makeParts(createHost()), started }
    const facts = () => new Map(describeHealth(parts).process.map(({ name, value }) => [name, value]))
    const point = parts.series.latest(Date.now() + 1_000)
    const latest = t.mock.method(parts.series, 'latest', () => null)
    assert.deepEqual([...facts().keys()], ['Process id', 'Node', 'Started', 'Up for', 'Event loop in use', 'Memory'])
    assert.match(facts().get('Up for') ?? '', /^3m \d\ds$/)
    assert.match(facts().get('Started') ?? '', /^[A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}$/)
    assert.equal(facts().get('Event loop in use'), 'not measured yet')
    latest.mock.mockImplementation(() => point)
    assert.equal(facts().get('Event loop in use'), 'not measured yet')
    assert.ok(point)
    latest.mock.mockImplementation(() => ({ ...point, loopUse: 0.126 }))
    assert.equal(facts().get('Event loop in use'), '13% of the last second')
  })

  it('reports the number of watching browsers', (t) => {
    const parts = makeParts(createHost())
    const watched = () => describeHealth(parts).cost.find(({ name }) => name === 'Watched by')?.value
    assert.equal(watched(), '0 browsers')
    t.mock.getter(parts.feed, 'size', () => 1)
    assert.equal(watched(), '1 browser')
  })
})
