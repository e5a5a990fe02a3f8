/** Service stores that store their reports, and services that record events. */
import assert from 'node:assert/strict'
import { service, SetupError } from 'verbena'
import { SILENT } from '#src/observe/logger.js'
import { ServiceStore } from '#src/setup/service-store.js'

/** A store that records failures of close. */
export function createStore(given: Readonly<Record<string, unknown>>, closeTimeout = 10_000, start: object = {}) {
  const failures: (readonly [string, unknown])[] = []
  const slow: (readonly [string, number])[] = []
  const settings = {
    ...{ borrowed: new Set<string>(), closeTimeout, startTimeout: 60_000, slowAfter: 10_000, ...start },
    onUnclosed: (error: unknown, name: string) => void failures.push([name, error]),
    readLog: () => SILENT,
    onSlow: (name: string, ms: number) => void slow.push([name, ms]),
  }
  return { store: new ServiceStore(given, settings), failures, slow }
}

export const NEVER = (): Promise<never> => new Promise(() => {})

/** A service that records when it is created and closed. */
export function recordService(
  events: string[],
  name: string,
  options: { fails?: unknown; close?: () => unknown } = {},
) {
  return service(
    async (made: object) => {
      await Promise.resolve()
      if ('fails' in options) throw options.fails
      events.push(`${name}(${Object.keys(made).join()})`)
      return name
    },
    { close: options.close ?? ((value: string) => void events.push(`-${value}`)) },
  )
}

export async function getReason(task: Promise<unknown>): Promise<SetupError> {
  const reason: unknown = await task.then(() => undefined).catch((error: unknown) => error)
  assert.ok(reason instanceof SetupError, String(reason))
  return reason
}
