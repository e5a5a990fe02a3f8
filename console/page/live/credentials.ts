/** Credentials that the user entered in this tab. They are in `sessionStorage`, and the app never stores them. */

import { credentialKey } from '../pure/credentials.js'

const KEY = 'dev-console credentials'
const MAX_COUNT = 50
const MAX_LENGTH = 8_192

/** Key of the `Cookie` header. Its cookies are stored separately, by name. */
const COOKIE_HEADER = credentialKey('header', 'cookie')
const COOKIE_PREFIX = credentialKey('cookie', '')

const values = new Map<string, string>(readStored())

/** Returns the value of a key; empty if the key has no value. */
export function readCredential(key: string): string {
  if (key !== COOKIE_HEADER) return values.get(key) ?? ''
  const cookies = [...values].filter(([storedKey]) => storedKey.startsWith(COOKIE_PREFIX))
  return cookies.map(([storedKey, value]) => `${storedKey.slice(COOKIE_PREFIX.length)}=${value}`).join('; ')
}

/** Stores a value; an empty value deletes the key. Cookies replace all others of the tab. */
export function writeCredential(key: string, value: string): void {
  if (key !== COOKIE_HEADER) return store(key, value)
  const cookieKeys = [...values.keys()].filter((storedKey) => storedKey.startsWith(COOKIE_PREFIX))
  for (const cookieKey of cookieKeys) store(cookieKey, '')
  for (const [name, cookieValue] of splitCookies(value)) store(credentialKey('cookie', name), cookieValue)
}

function store(key: string, value: string): void {
  values.delete(key)
  if (value !== '' && value.length <= MAX_LENGTH) values.set(key, value)
  const [oldest] = values.keys()
  if (values.size > MAX_COUNT && oldest !== undefined) values.delete(oldest)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...values]))
  } catch {
    // Without storage, the values last as long as the page.
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
 * Sets cookies of the origin until the returned function is called, because a page cannot set the `Cookie` header. `HttpOnly` cookies
 * are not changed.
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
