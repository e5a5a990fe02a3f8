/** Messages between `verbena dev` and the processes that it starts. The prefix separates them from messages of the app. */
import type { AddressInfo } from 'node:net'
import type { Incident } from '../../devconsole/wire/feed-types.js'
import type { LogLine } from '../../devconsole/wire/request-types.js'

/** Arguments of `_listen2` in `node:net`, to which all forms of `listen` come down. */
export type ListenArgs = readonly [
  /** IP address, path of a Unix socket, or `null` for all addresses. */
  address: string | null,
  /** -1 for a Unix socket. */
  port: number,
  addressType: number,
  backlog: number | undefined,
  fd: number | undefined,
  flags: number | undefined,
]

export interface ListenMessage {
  readonly verbena: 'listen'
  /** Identifies the server in its process. */
  readonly id: number
  readonly args: ListenArgs
  /** Whether the client sends the first bytes, as in HTTP and TLS. */
  readonly readsFirst: boolean
  /** `null` for a server of another protocol. */
  readonly scheme: 'http' | 'https' | null
}

/** A module that a process has loaded. */
export interface LoadedModule {
  /** URL of its file. */
  readonly url: string
  /** Whether it is an ES module. `require` loads the others. */
  readonly isModule: boolean
}

/** Messages of the console in the app; secrets are replaced. */
export type FromConsole =
  /** JSON of a `ShownRecord`. `dropped` is the number of records since the last one that were not sent. */
  | { readonly verbena: 'record'; readonly text: string; readonly dropped: number }
  | { readonly verbena: 'lines'; readonly lines: readonly LogLine[] }
  /** A problem without a single request. */
  | { readonly verbena: 'incident'; readonly incident: Incident }

export type ToParent =
  | FromConsole
  | ListenMessage
  | { readonly verbena: 'close'; readonly id: number }
  /** Whether the server has taken the connection. */
  | { readonly verbena: 'taken'; readonly connection: number; readonly isOpen: boolean }
  /** A taken connection has closed. */
  | { readonly verbena: 'closed'; readonly connection: number }
  | { readonly verbena: 'inspector-closed' }
  /** The modules of the process, in the order in which it has loaded them. A spare process has loaded all that it can. */
  | { readonly verbena: 'loaded'; readonly modules: readonly LoadedModule[]; readonly memory: number }

export type ToApp =
  | { readonly verbena: 'listening'; readonly id: number; readonly address: AddressInfo | string | null }
  /** Properties of the system error. */
  | { readonly verbena: 'listen-failed'; readonly id: number; readonly error: Readonly<Record<string, unknown>> }
  /** A connection; its handle is sent with the message. `bytes` are already read, as Base64. */
  | { readonly verbena: 'connection'; readonly id: number; readonly connection: number; readonly bytes: string }
  | { readonly verbena: 'saved' }
  /** A line for the console of the app. */
  | { readonly verbena: 'log'; readonly level: 'info' | 'error'; readonly message: string }
  | { readonly verbena: 'inspect'; readonly port: number }
  | { readonly verbena: 'close-inspector' }
  /** Asks for the modules of the process. */
  | { readonly verbena: 'list' }
  /** Modules that a spare process loads before its start. */
  | { readonly verbena: 'load'; readonly modules: readonly LoadedModule[] }
  /** A spare process starts the app. */
  | { readonly verbena: 'start' }
  | { readonly verbena: 'end' }
