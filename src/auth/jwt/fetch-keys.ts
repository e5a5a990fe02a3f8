/** Fetching a key set: bounded in time and size, and told how long it may be kept. */
import { readKey, type VerifyKey } from './verify-key.js'

/** A key set as it was fetched. */
export interface FetchedKeys {
  readonly keys: readonly VerifyKey[]
  /** How long it counts as fresh, in ms. */
  readonly lifetime: number
}

const LARGEST = 262_144
const MOST_KEYS = 100
const MINUTE = 60_000
const SHORTEST_LIFE = MINUTE
const USUAL_LIFE = 10 * MINUTE
const LONGEST_LIFE = 24 * 60 * MINUTE

/**
 * Fetches a key set. Redirects are not followed, secrets in it are passed over, and so are keys that cannot verify a
 * token.
 */
export async function fetchKeys(url: URL, timeout: number): Promise<FetchedKeys> {
  try {
    return await request(url, timeout)
  } catch (cause) {
    throw new Error(`Cannot read the keys at "${url.href}"`, { cause })
  }
}

async function request(url: URL, timeout: number): Promise<FetchedKeys> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  })
  const text = await readText(response)
  if (response.status !== 200) throw new Error(`The answer has status ${response.status}`)
  return { keys: keysIn(JSON.parse(text)), lifetime: lifetimeOf(response.headers.get('cache-control') ?? '') }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > LARGEST) throw new Error(`The answer has more than ${LARGEST} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function keysIn(set: unknown): readonly VerifyKey[] {
  const { keys }: { readonly keys?: unknown } = Object(set)
  if (!Array.isArray(keys)) throw new Error('The answer is no key set: "keys" is not an array')
  if (keys.length > MOST_KEYS) throw new Error(`The answer has more than ${MOST_KEYS} keys`)
  return keys.map(readKey).flatMap((found) => ('flaw' in found || found.key.type === 'secret' ? [] : [found]))
}

function lifetimeOf(cacheControl: string): number {
  const directives = cacheControl.split(',').map((directive) => directive.trim().toLowerCase())
  if (directives.includes('no-store') || directives.includes('no-cache')) return SHORTEST_LIFE
  const age = directives.find((directive) => directive.startsWith('max-age='))
  const seconds = age === undefined ? Number.NaN : Number(age.slice('max-age='.length))
  return Number.isNaN(seconds) ? USUAL_LIFE : Math.min(Math.max(seconds * 1000, SHORTEST_LIFE), LONGEST_LIFE)
}
