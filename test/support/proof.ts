/** Apps and files for the tests of proofs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bearer, createApp, Route, type App } from 'verbena'
import { authorization, ProofFailure, type AuthorizationOptions, type AuthorizationReport } from 'verbena/prove'

// Proofs refuse to run in production, which is the mode of most tests of this repository.
process.env['NODE_ENV'] = 'test'
/** Whether the fixtures are written. */
export const isUpdate: boolean = process.env['UPDATE'] === '1'
delete process.env['CI']
delete process.env['UPDATE']

/** Runs with environment variables, and restores them. `undefined` removes a variable. */
export async function withEnvironment<T>(
  variables: Readonly<Record<string, string | undefined>>,
  run: () => T | Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  for (const [name, value] of Object.entries(variables)) set(name, value)
  try {
    return await run()
  } finally {
    for (const [name, value] of before) set(name, value)
  }
}

// A debugger finds the places of classes, but then V8 counts no blocks of the process, so coverage would lose them.
const { connect } = Session.prototype
Session.prototype.connect = () => {
  throw new Error('Tests of proofs do not use the debugger')
}

/** Lets proofs find places, in a file that tests only this. */
export function useDebugger(): void {
  Session.prototype.connect = connect
}

type Options<S> = Omit<AuthorizationOptions<S>, 'file'>

/** A matrix file in a temporary directory. */
export class MatrixFile implements Disposable {
  readonly #directory: string = mkdtempSync(join(tmpdir(), 'proof-'))
  readonly path: string = join(this.#directory, 'authorization.txt')

  get text(): string {
    return readFileSync(this.path, 'utf8')
  }

  set text(text: string) {
    writeFileSync(this.path, text)
  }

  /** Lines below the head and the names of the columns. */
  get rows(): string[] {
    return this.text.split('\n').slice(2, -1)
  }

  update<R, S, F>(app: App<R, S, F>, options: Options<S>): Promise<AuthorizationReport> {
    return withEnvironment({ UPDATE: '1' }, () => this.compare(app, options))
  }

  compare<R, S, F>(app: App<R, S, F>, options: Options<S>): Promise<AuthorizationReport> {
    return authorization(app, { subtests: false, ...options, file: this.path })
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true })
  }
}

/** Returns the lines of a proof that fails; an empty array if it passes. */
export async function listFindings(run: Promise<unknown>): Promise<readonly string[]> {
  try {
    await run
    return []
  } catch (error) {
    if (error instanceof ProofFailure) return error.lines
    throw error
  }
}

const user = bearer((token) => token === 't-ada')
/** One user, and a client without credentials. */
export const ACTORS = { ada: { bearer: 't-ada' }, nobody: {} }

class Tasks extends Route {
  static readonly uses = { user }
  async get() {
    return []
  }
  async post() {
    return 1
  }
}
/** A route without a guard. */
export class Open extends Route {
  async get() {
    return 1
  }
}
/** Creates an app with a guarded and an open route. */
export const createTasks = (): App => createApp({ routes: { Tasks, Open }, openapi: false })

/** A file that matches the app. */
export async function writtenFile(): Promise<MatrixFile> {
  const file = new MatrixFile()
  await file.update(createTasks(), { actors: ACTORS })
  return file
}

export interface User {
  readonly name: string
  readonly role: string
}

/** Users of apps with objects, by their tokens. */
export const USERS: ReadonlyMap<string, User> = new Map([
  ['t-ada', { name: 'ada', role: 'member' }],
  ['t-eve', { name: 'eve', role: 'member' }],
  ['t-mallory', { name: 'mallory', role: 'member' }],
  ['t-grace', { name: 'grace', role: 'admin' }],
  ['t-carl', { name: 'carl', role: 'admin-assistant' }],
])
