/** Types of the hidden tests of a task. */
import type { App } from 'verbena'

/** A file that solves a task by exporting an app. */
export interface AppModule {
  readonly app: App
}

/** Tests by title. Each receives the exports of the file and throws an `AssertionError` if a requirement of the task is not met. */
export type HiddenTests<Module = AppModule> = Readonly<Record<string, (module: Module) => Promise<void>>>

/** Returns the options of a request with a JSON body. */
export function postJson(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
