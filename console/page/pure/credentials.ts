/** Credentials of requests that are sent from the page. The console does not store secrets, so the tab provides them. */
import { containsSecret, REDACTED_MARK, type RequestRecord } from '../../../src/devconsole/wire/request-types.js'
import type { TryScheme } from '../../../src/devconsole/wire/view-types.js'
import { canSendHeader, type SendableRequest } from './messages.js'

/** A header or a query parameter whose value the console has replaced. */
export interface MissingCredential {
  /** Key in the store of the tab. */
  readonly key: string
  readonly label: string
}

/** Stored value of a key; empty if there is none. */
type ReadCredential = (key: string) => string

export function credentialKey(place: 'header' | 'query' | 'cookie', name: string): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

/** Lists the redacted secrets of a request: headers that a page can set, cookies, and query parameters. */
export function missingCredentials(record: RequestRecord): readonly MissingCredential[] {
  const names = record.request.headers.filter(([name, value]) => containsSecret(value) && isSendable(name))
  const headers = names.map(([name]) => ({ key: credentialKey('header', name), label: headerLabel(name) }))
  const query = [...new URLSearchParams(record['url.query'])].filter(([, value]) => value === REDACTED_MARK)
  return [...headers, ...query.map(([name]) => ({ key: credentialKey('query', name), label: name }))]
}

function isSendable(name: string): boolean {
  const lower = name.toLowerCase()
  return canSendHeader(lower) && lower !== 'x-dev-token'
}

/** Formats `authorization` as `Authorization`, `x-api-key` as `X-Api-Key`. */
function headerLabel(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

/** Joins names: `a`, `a and b`, `a, b and c`. */
export function listNames(names: readonly string[]): string {
  const lastName = names.at(-1) ?? ''
  return names.length < 2 ? lastName : `${names.slice(0, -1).join(', ')} and ${lastName}`
}

/** Replaces the missing secrets of a request with credentials of the tab. Cookies are separate, because a page cannot set the header. */
export function withCredentials(request: SendableRequest, read: ReadCredential): SendableRequest {
  const headers = request.headers.map(([name, value]) => {
    const stored = read(credentialKey('header', name))
    return [name, containsSecret(value) && stored !== '' ? headerValue(name, stored) : value] as const
  })
  const cookie = headers.find(([name, value]) => name.toLowerCase() === 'cookie' && !containsSecret(value))
  const cookies = [request.cookies ?? '', cookie?.[1] ?? ''].filter((each) => each !== '').join('; ')
  return { ...request, url: withQuery(request.url, read), headers, cookies }
}

/** Replaces redacted parameters. All others stay as they were sent. */
function withQuery(url: string, read: ReadCredential): string {
  const [path = '', ...rest] = url.split('?')
  if (rest.length === 0) return url
  const pairs = rest.join('?').split('&')
  const completed = pairs.map((pair) => {
    const [name = '', value] = pair.split('=')
    const stored = value === REDACTED_MARK ? read(credentialKey('query', decodeName(name))) : ''
    return stored === '' ? pair : `${name}=${encodeURIComponent(stored)}`
  })
  return `${path}?${completed.join('&')}`
}

function decodeName(name: string): string {
  return new URLSearchParams(name).keys().next().value ?? name
}

/** A token without a scheme is a bearer token (RFC 6750 section 2.1). */
export function headerValue(name: string, typed: string): string {
  const value = typed.trim()
  return name.toLowerCase() === 'authorization' && value !== '' && !value.includes(' ') ? `Bearer ${value}` : value
}

interface StoredCredential {
  readonly place: 'header' | 'query' | 'cookie'
  readonly name: string
  readonly value: string
}

/** Lists the stored credentials of security schemes. */
export function schemeCredentials(schemes: readonly TryScheme[], read: ReadCredential): readonly StoredCredential[] {
  const stored = schemes.map((scheme): StoredCredential => {
    const { kind, name } = scheme
    if (kind !== 'basic' && kind !== 'http') return { place: kind, name, value: read(credentialKey(kind, name)) }
    return { place: 'header', name: 'authorization', value: authorizationFor(scheme, read) }
  })
  return stored.filter(({ value }) => value !== '')
}

/** Returns the stored `Authorization`; empty if it belongs to another scheme. */
export function authorizationFor({ kind, name }: TryScheme, read: ReadCredential): string {
  const value = read(credentialKey('header', 'authorization'))
  const isAny = kind === 'http' && name === 'Authorization'
  return isAny || /^basic /i.test(value) === (kind === 'basic') ? value : ''
}

/** Credentials of `Authorization: Basic` (RFC 7617 section 2). */
export function basicCredentials(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return user === '' && password === '' ? '' : `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** Returns user and password of `Authorization: Basic`; both are empty for another scheme. */
export function readBasic(authorization: string): readonly [user: string, password: string] {
  const [, coded = ''] = /^basic +([\w+/=]+)$/i.exec(authorization) ?? []
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0)))
    const end = text.indexOf(':')
    return end === -1 ? ['', ''] : [text.slice(0, end), text.slice(end + 1)]
  } catch {
    return ['', '']
  }
}

/** Parses lines of `name: value`. If a line is not a header, returns this line as a string. */
export function parseHeaders(text: string): readonly (readonly [string, string])[] | string {
  const headers: (readonly [string, string])[] = []
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) headers.push([name, value.trim()])
    else if (line !== '') return line
  }
  return headers
}
