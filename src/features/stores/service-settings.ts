/** Settings that are functions of the services, such as a store: read when an app starts, and kept for each app. */
import { checkOption, functionError, type Rule, type Rules } from '../../errors/options.js'
import type { AppServices, ServiceValues, StartSettings } from '../../injection/services.js'
import type { UnknownRecord } from '../../values/objects.js'

/** Rules for the values of settings, and the function that has them as options. */
interface SettingChecks {
  readonly rules: Rules
  /** As in errors, such as `session()`. */
  readonly owner: string
}

/** Settings of a provider, from values or from functions of the services. */
export interface ProviderSettings<T> {
  /** Returns the settings of the app that handles a request. */
  for(app: { readonly services: object }): T
  /** Settings to read when an app starts; empty if no option is a function. */
  readonly unread: readonly StartSettings[]
}

class SettingsByApp<T> implements ProviderSettings<T>, StartSettings {
  readonly unread: readonly StartSettings[] = [this]
  readonly #byApp = new WeakMap<object, T>()
  readonly #create: (services: ServiceValues) => Promise<T>

  constructor(create: (services: ServiceValues) => Promise<T>) {
    this.#create = create
  }

  async read(services: AppServices): Promise<void> {
    this.#byApp.set(services, await this.#create(services.forProviders))
  }

  for(app: { readonly services: object }): T {
    // Proof: an app reads the settings of its providers before it handles the first request.
    return this.#byApp.get(app.services) as T
  }
}

/** Returns the rules for options that are values or functions of the services. */
export function settingRules<Options>(rules: Rules<Options>): Rules<Options> {
  const accepting = Object.entries<Rule>(rules).map(([name, rule]) => {
    const isValid = (value: unknown): boolean => typeof value === 'function' || rule.isValid(value)
    return [name, { ...rule, isValid }]
  })
  // Proof: the rules have the same names.
  return Object.fromEntries(accepting) as Rules<Options>
}

/**
 * Builds settings from options that `settingRules` has checked. If one of them is a function of the services, each app builds its own
 * settings at its start.
 *
 * @param options values and functions by option
 */
export function buildSettings<T>(
  options: UnknownRecord,
  checks: SettingChecks,
  build: (values: UnknownRecord) => T,
): ProviderSettings<T> {
  const functions = Object.entries(options).flatMap(([name, value]) =>
    typeof value === 'function' ? [{ name, value }] : [],
  )
  if (functions.length === 0) {
    const settings = build(options)
    return { for: () => settings, unread: [] }
  }
  return new SettingsByApp(async (services) => {
    const values: Record<string, unknown> = { ...options }
    for (const { name, value } of functions) values[name] = await readSetting(name, () => value(services), checks)
    return build(values)
  })
}

async function readSetting(name: string, read: () => unknown, { rules, owner }: SettingChecks): Promise<unknown> {
  let value: unknown
  try {
    value = await read()
  } catch (error) {
    throw functionError(owner, name, error)
  }
  // Proof: each setting has a rule.
  checkOption(value, rules[name] as Rule, name, owner)
  return value
}
