/** A value that outlives its request: it was read before, and what the request makes of it is written at the request's end. */
import type { Schema, SchemaMembers } from '../../validation/schema.js'
import { validate, type Outcome } from '../../validation/validate.js'
import { noop } from '../../values/ignore.js'

interface StringMembers extends SchemaMembers {
  /** The types of the schema; never there at run time. */
  readonly types?: TextTypes
}

interface TextTypes {
  /** What the schema accepts. */
  readonly input: string
  /** What it gives. */
  readonly output: string
}

/** A schema of texts: what sessions and cookies have without another one. */
export interface TextSchema {
  /** The members of Standard Schema 1. */
  readonly '~standard': StringMembers
}

export const TEXT: TextSchema = {
  '~standard': {
    version: 1,
    vendor: 'verbena',
    validate: (value) => (typeof value === 'string' ? { value } : { issues: [{ message: 'it is no text' }] }),
  },
}

/** Reads what was written as JSON; `undefined` where it does not fit its schema any more. */
export async function readValue(schema: Schema, json: unknown): Promise<unknown> {
  const { value, issues } = await validate(schema, json)
  return issues === undefined ? value : undefined
}

export class SessionDraft {
  readonly #name: string
  readonly #schema: Schema
  #value: unknown
  /** Of a schema that answers later. */
  #checking: Promise<void> | null = null
  #isClosed = false
  /** What is to be written; `undefined` for nothing. */
  json: string | undefined = undefined
  /** Whether the value was ended, whatever came after that. */
  hasEnded: boolean = false

  /** @param name for errors: `the session` */
  constructor(name: string, schema: Schema, value: unknown) {
    this.#name = name
    this.#schema = schema
    this.#value = value
  }

  get value(): unknown {
    if (this.#checking === null) return this.#value
    const state = 'its schema is still at work on the new value'
    throw new Error(`Cannot read ${this.#name}: ${state}. Use what you have given to it`)
  }

  /** What is read back later is JSON: that must fit the schema. */
  set(value: unknown): void {
    this.assertOpen()
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) throw new TypeError(`Cannot set ${this.#name}: its value has no form in JSON. Give another`)
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

  /** No change is taken from now on. Waits until the last one is checked. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#checking
  }

  assertOpen(): void {
    if (!this.#isClosed) return
    const fix = 'Do it before the method returns, or before the first chunk of a stream'
    throw new Error(`Cannot change ${this.#name}: the head of the answer is made. ${fix}`)
  }

  #acceptLater(outcome: Promise<Outcome>): Promise<void> {
    // Another change may have come meanwhile.
    const checking: Promise<void> = outcome.then((checked) =>
      this.#checking === checking ? this.#accept(checked) : undefined,
    )
    checking.catch(noop)
    return checking
  }

  #accept({ value, issues }: Outcome): void {
    if (issues !== undefined) {
      const { pointer, message } = issues.at(0)
      const state = `as JSON it does not fit its schema at "${pointer}", ${JSON.stringify(message)}`
      throw new TypeError(`Cannot set ${this.#name}: ${state}. Give a value that does`)
    }
    this.#value = value
    this.#checking = null
  }
}
