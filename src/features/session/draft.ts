/** A stored value during a request: it is validated when the method changes it, and written at the end of the request. */
import type { Schema, SchemaMembers } from '../../validation/schema.js'
import { validate, type Outcome } from '../../validation/validate.js'
import { noop } from '../../values/noop.js'

interface StringMembers extends SchemaMembers {
  /** Types of the schema; not set at run time. */
  readonly types?: TextTypes
}

interface TextTypes {
  /** Input type. */
  readonly input: string
  /** Output type. */
  readonly output: string
}

/** Schema of a string; the default of sessions and cookies. */
export interface TextSchema {
  /** Properties of Standard Schema 1. */
  readonly '~standard': StringMembers
}

export const TEXT: TextSchema = {
  '~standard': {
    version: 1,
    vendor: 'verbena',
    validate: (value) => (typeof value === 'string' ? { value } : { issues: [{ message: 'Expected a string' }] }),
  },
}

/** Validates a stored JSON value. Returns `undefined` if it does not match the schema. */
export async function readValue(schema: Schema, json: unknown): Promise<unknown> {
  const { value, issues } = await validate(schema, json)
  return issues === undefined ? value : undefined
}

export class SessionDraft {
  readonly #name: string
  readonly #schema: Schema
  #value: unknown
  /** Pending validation by an asynchronous schema. */
  #checking: Promise<void> | null = null
  #isClosed = false
  /** New value to write, as JSON; `undefined` if the value is unchanged or ended. */
  json: string | undefined = undefined
  /** Whether `end` was called, even if a new value was set afterwards. */
  hasEnded: boolean = false

  /** @param name for error messages, such as `the session` */
  constructor(name: string, schema: Schema, value: unknown) {
    this.#name = name
    this.#schema = schema
    this.#value = value
  }

  get value(): unknown {
    if (this.#checking === null) return this.#value
    const state = 'the schema is still validating the new value'
    throw new Error(`Cannot read ${this.#name}: ${state}. Use the value that you have set`)
  }

  /** Validates the JSON form of the value, because later requests read this form. */
  set(value: unknown): void {
    this.assertOpen()
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined)
      throw new TypeError(`Cannot set ${this.#name}: JSON cannot represent the value. Use another value`)
    const outcome = validate(this.#schema, JSON.parse(json))
    if (outcome instanceof Promise) this.#checking = this.#acceptLater(outcome)
    else this.#accept(outcome)
    this.json = json
  }

  end(): void {
    this.assertOpen()
    this.hasEnded = true
    this.json = undefined
    this.#checking = null
    this.#value = undefined
  }

  /** Rejects further changes, and waits for the pending validation. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#checking
  }

  assertOpen(): void {
    if (!this.#isClosed) return
    const fix = 'Change it before the method returns, or before the first chunk of a stream'
    throw new Error(`Cannot change ${this.#name}: the response headers are complete. ${fix}`)
  }

  #acceptLater(outcome: Promise<Outcome>): Promise<void> {
    // Ignores the result if the value has changed since.
    const checking: Promise<void> = outcome.then((checked) =>
      this.#checking === checking ? this.#accept(checked) : undefined,
    )
    checking.catch(noop)
    return checking
  }

  #accept({ value, issues }: Outcome): void {
    if (issues !== undefined) {
      const { pointer, message } = issues.at(0)
      const state = `the JSON form of the value does not match the schema at "${pointer}", ${JSON.stringify(message)}`
      throw new TypeError(`Cannot set ${this.#name}: ${state}. Use a value that matches`)
    }
    this.#value = value
    this.#checking = null
  }
}
