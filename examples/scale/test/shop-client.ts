/** A client of the shop that stores its cookie, like a browser. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import { ask, type TextResponse, type SendOptions } from './support.js'

/** Destination of a request: a URL, or the socket of a process. */
export type Where = string

export const PASSWORD = 'correct horse'

/** Headers of a same-origin page. They include the client's address, for requests that reach a socket without nginx. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.7' }

/** Sends a sign-in request. */
export function signIn(
  where: Where,
  email: string,
  sent: SendOptions & { readonly password?: string } = {},
): Promise<TextResponse> {
  const { password = PASSWORD, headers, ...rest } = sent
  return ask(where, '/session', { body: { email, password }, headers: { ...OWN_PAGE, ...headers }, ...rest })
}

/** Returns the cookie that a response sets. */
export function getCookie({ headers }: TextResponse): string {
  const [text = ''] = headers['set-cookie'] ?? []
  const [cookie = ''] = text.split(';')
  return cookie
}

/** A signed-in user. */
export class Customer {
  readonly email: string
  readonly cookie: string

  constructor(email: string, cookie: string) {
    this.email = email
    this.cookie = cookie
  }

  /** Opens an account and signs in from a separate address, because sign-in attempts are limited per address. */
  static async arrive(socket: Where, email: string): Promise<Customer> {
    const opened = await ask(socket, '/accounts', { body: { email, password: PASSWORD }, headers: OWN_PAGE })
    assert.equal(opened.status, 201, opened.body)
    const address = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:${Date.now() % 9999}::1`
    const entered = await signIn(socket, email, { headers: { 'x-forwarded-for': address } })
    assert.equal(entered.status, 200, entered.body)
    return new Customer(email, getCookie(entered))
  }

  /** Sends a GET request. */
  get(where: Where, path: string): Promise<TextResponse> {
    return ask(where, path, { headers: { ...OWN_PAGE, cookie: this.cookie } })
  }

  /** Buys tickets; the idempotency key is new by default. */
  buy(
    where: Where,
    concert: number,
    sent: { readonly key?: string; readonly agent?: Agent } = {},
  ): Promise<TextResponse> {
    const { key = randomUUID(), agent } = sent
    const headers = { ...OWN_PAGE, cookie: this.cookie, 'idempotency-key': `"${key}"` }
    return ask(where, '/orders', { body: { concert, tickets: 1 }, headers, ...(agent !== undefined && { agent }) })
  }

  /** Signs out. */
  leave(where: Where): Promise<TextResponse> {
    return ask(where, '/session', { method: 'DELETE', headers: { ...OWN_PAGE, cookie: this.cookie } })
  }
}
