/** Credentials that were typed in this tab. They are never stored by the app, and end with the tab. */

import { credentialKey } from '../pure/credentials.js'

const KEY = 'dev-console credentials'
const MAX_COUNT = 50
const MAX_LENGTH = 8_192

/** Key of all cookies, which are stored by name. */
const COOKIES = credentialKey('header', 'cookie')
const OF_COOKIE = credentialKey('cookie', '')

const values = new Map<string, string>(readStored())

/** Returns the value of a key; empty if there is none. */
export function readCredential(key: string): string {
  if (key !== COOKIES) return values.get(key) ?? ''
  const cookies = [...values].filter(([each]) => each.startsWith(OF_COOKIE))
  return cookies.map(([each, value]) => `${each.slice(OF_COOKIE.length)}=${value}`).join('; ')
}

/** Stores a value; an empty one deletes the key. */
export function writeCredential(key: string, value: string): void {
  if (key !== COOKIES) return store(key, value)
  for (const [name, each] of splitCookies(value)) store(credentialKey('cookie', name), each)
}

function store(key: string, value: string): void {
  values.delete(key)
  if (value !== '' && value.length <= MAX_LENGTH) values.set(key, value)
  const [oldest] = values.keys()
  if (values.size > MAX_COUNT && oldest !== undefined) values.delete(oldest)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...values]))
  } catch {
    // It lasts as long as the page.
  }
}

function readStored(): [string, string][] {
  try {
    // Proof: only `writeCredential` writes this key.
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, string][]
  } catch {
    return []
  }
}

/**
 * Sets cookies of the origin until the returned function is called, because a page cannot set the header. A cookie that scripts
 * cannot read stays as it is.
 */
export function setCookies(text: string): () => void {
  const before = new Map(splitCookies(document.cookie))
  const changed = splitCookies(text).filter(([name, value]) => before.get(name) !== value)
  for (const [name, value] of changed) document.cookie = cookieLine(name, value)
  return () => {
    for (const [name] of changed) document.cookie = cookieLine(name, before.get(name) ?? null)
  }
}

function splitCookies(text: string): (readonly [name: string, value: string])[] {
  const pairs = text.split(';').map((pair) => pair.trim().split('='))
  return pairs.flatMap(([name = '', ...value]) => (name === '' ? [] : [[name, value.join('=')] as const]))
}

function cookieLine(name: string, value: string | null): string {
  const secure = /^__(?:secure|host)-/i.test(name) ? '; Secure' : ''
  return `${name}=${value ?? ''}; Path=/; SameSite=Strict${secure}${value === null ? '; Max-Age=0' : ''}`
}
