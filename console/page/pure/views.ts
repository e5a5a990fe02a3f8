/** The views of the page, in the order of the navigation and of the number keys. `main.ts` creates them. */
import type { State } from './state.js'

export type ViewName = 'requests' | 'routes' | 'performance' | 'logs' | 'problems' | 'health'

interface ViewFacts {
  /** Path of the icon, in a square of 16. */
  readonly icon: string
  /** Number after the name in the navigation; 0 and `null` are hidden. `routes` is `null` until the routes are read. */
  readonly count?: (state: State, routes: number | null) => number | null
  /** Whether the number is an alarm. */
  readonly isAlarm?: true
}

export const VIEW_FACTS: Readonly<Record<ViewName, ViewFacts>> = {
  requests: { icon: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h7', count: ({ buffer }) => buffer.total },
  routes: { icon: 'M3.5 3v10M3.5 5.5h5M3.5 10.5h5M9.5 4h3v3h-3zM9.5 9h3v3h-3z', count: (_, routes) => routes },
  performance: { icon: 'M2 11l4-5 3 3 5-6M2 14h12' },
  logs: { icon: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3' },
  problems: { icon: 'M8 2l6 11H2zM8 6.5v3M8 11.4v.1', count: ({ problems }) => problems.length, isAlarm: true },
  health: { icon: 'M2 8h3l2-4 3 8 2-4h2' },
}

// Proof: the object has no other keys.
export const VIEWS: readonly ViewName[] = Object.keys(VIEW_FACTS) as ViewName[]

export function isViewName(name: string): name is ViewName {
  return Object.hasOwn(VIEW_FACTS, name)
}
