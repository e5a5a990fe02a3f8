/**
 * Setup errors, findings and documents of more than 300 faulty contracts, as a file records them: their text and their order.
 * `UPDATE_SNAPSHOTS=1` writes the file again.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Route, SetupError, type App } from 'verbena'
import { createUntypedApp, looseContract } from '#test/apps.js'
import { FAULTY_CONTRACTS } from '#test/faulty-contracts.js'

const FILE = 'test/setup/faulty-contracts.json'

type FaultyContract = (typeof FAULTY_CONTRACTS)[number]

function createRoute({ verb, contract }: FaultyContract) {
  if (verb === 'get') {
    return class extends Route {
      static readonly get = looseContract(this, contract())
      get() {}
    }
  }
  return class extends Route {
    static readonly post = looseContract(this, contract())
    post() {}
  }
}

/** Returns the setup error of routes, or else their findings and a digest of their document. */
function describeApp(contracts: readonly FaultyContract[]): readonly string[] {
  try {
    return describeFindings(
      createUntypedApp({ routes: Object.fromEntries(contracts.map((each, at) => [`Probe${at}`, createRoute(each)])) }),
    )
  } catch (error) {
    if (error instanceof SetupError) return [`${error.code}: ${error.message}`]
    throw error
  }
}

function describeFindings(app: App): readonly string[] {
  const findings = app
    .check()
    .map(({ code, route, method, message, fix }) => `${code} ${route}.${method}: ${message}. ${fix}`)
  const digest = createHash('sha256').update(JSON.stringify(app.openapi())).digest('hex').slice(0, 16)
  return [...findings, `document ${digest}`]
}

describe('faulty contracts', () => {
  it('keeps the recorded setup errors, findings and documents', () => {
    const single = FAULTY_CONTRACTS.map((each) => [each.about, describeApp([each])] as const)
    const accepted = FAULTY_CONTRACTS.filter((_, at) => single[at]?.[1].at(-1)?.startsWith('document '))
    const described = Object.fromEntries([...single, ['all without a setup error', describeApp(accepted)]])
    const text = `${JSON.stringify(described, null, 2)}\n`
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(FILE, text)
    assert.equal(text, readFileSync(FILE, 'utf8'), `${FILE} differs; UPDATE_SNAPSHOTS=1 writes it anew`)
  })
})
