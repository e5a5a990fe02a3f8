/** Calls the app with the generated clients, and describes each result in a word, as the tables of the README do. */
import { isDeepStrictEqual } from 'node:util'
import { EXPECTED, type CallName, type Calls, type Target } from './calls.js'

export const CALL_NAMES = Object.keys(EXPECTED) as readonly CallName[]

/** Base URLs of the app with the version in a header, and of the app with the version in Accept. */
export interface Bases {
  readonly header: string
  readonly accept: string
}

const send = globalThis.fetch

/** Returns the word for each call: `yes`, a status, `throws` before or after the response, `text`, or `other` for another value. */
export async function tryCalls(calls: Calls, bases: Bases): Promise<Record<string, string>> {
  const results: Record<string, string> = {}
  for (const name of CALL_NAMES) results[name] = await tryCall(name, calls[name], chooseTarget(name, bases))
  return results
}

function chooseTarget(name: CallName, { header, accept }: Bases): Target {
  if (name === 'version in Accept') return { base: accept, headers: { accept: 'application/json;version=2.0.0' } }
  if (name === 'version in headers of the client') return { base: header, headers: { 'accept-version': '2.0.0' } }
  return { base: header }
}

async function tryCall(name: CallName, call: (target: Target) => Promise<unknown>, target: Target): Promise<string> {
  let status: number | undefined
  globalThis.fetch = async (...request) => {
    const response = await send(...request)
    status = response.status
    return response
  }
  try {
    const value = await call(target)
    if (isDeepStrictEqual(comparable(value), comparable(EXPECTED[name]))) return 'yes'
    if (status !== undefined && status >= 400 && name !== 'problem') return String(status)
    return typeof value === 'string' ? 'text' : 'other'
  } catch (err) {
    if (process.env['VERBOSE']) console.error(name, err)
    const known = status ?? Object(Object(err).response).status
    return known >= 400 ? String(known) : 'throws'
  } finally {
    globalThis.fetch = send
  }
}

/** A problem has more members than the test compares, and clients add members without a value. */
function comparable(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  const { status, detail } = Object(value)
  return typeof status === 'number' ? { status, detail } : JSON.parse(JSON.stringify(value))
}
