/** A client of the shop, as a browser is one: it keeps its cookie. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import { ask, type Answered, type Sent } from './support.js'

/** Where a request is sent: to a URL, or to the socket of a process. */
export type Where = string

export const PASSWORD = 'correct horse'

/** Says that a page of the shop itself has sent a request, and for a socket, where no nginx does so, who the client is. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.7' }

/** Signs in; 200 where it worked. */
export function signIn(
  where: Where,
  email: string,
  sent: Sent & { readonly password?: string } = {},
): Promise<Answered> {
  const { password = PASSWORD, headers, ...rest } = sent
  return ask(where, '/session', { body: { email, password }, headers: { ...OWN_PAGE, ...headers }, ...rest })
}

/** The cookie that an answer sets. */
export function cookieOf({ headers }: Answered): string {
  const [text = ''] = headers['set-cookie'] ?? []
  const [cookie = ''] = text.split(';')
  return cookie
}

/** Somebody who is signed in. */
export class Customer {
  readonly email: string
  readonly cookie: string

  constructor(email: string, cookie: string) {
    this.email = email
    this.cookie = cookie
  }

  /** Opens an account and signs in, from an address of its own, because attempts to sign in are limited. */
  static async arrive(socket: Where, email: string): Promise<Customer> {
    const opened = await ask(socket, '/accounts', { body: { email, password: PASSWORD }, headers: OWN_PAGE })
    assert.equal(opened.status, 201, opened.body)
    const address = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:${Date.now() % 9999}::1`
    const entered = await signIn(socket, email, { headers: { 'x-forwarded-for': address } })
    assert.equal(entered.status, 200, entered.body)
    return new Customer(email, cookieOf(entered))
  }

  /** Reads something. */
  get(where: Where, path: string): Promise<Answered> {
    return ask(where, path, { headers: { ...OWN_PAGE, cookie: this.cookie } })
  }

  /** Buys tickets, under a key that is new unless given. */
  buy(where: Where, concert: number, sent: { readonly key?: string; readonly agent?: Agent } = {}): Promise<Answered> {
    const { key = randomUUID(), agent } = sent
    const headers = { ...OWN_PAGE, cookie: this.cookie, 'idempotency-key': `"${key}"` }
    return ask(where, '/orders', { body: { concert, tickets: 1 }, headers, ...(agent !== undefined && { agent }) })
  }

  /** Signs out. */
  leave(where: Where): Promise<Answered> {
    return ask(where, '/session', { method: 'DELETE', headers: { ...OWN_PAGE, cookie: this.cookie } })
  }
}
