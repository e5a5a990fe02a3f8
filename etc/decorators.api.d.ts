import { Level } from './core.js'
import { Decorator } from './index.js'
interface DeprecatedOptions {
  readonly since?: Date | string
  readonly sunset?: Date | string
  readonly link?: string
}
declare const deprecated: Decorator<[options?: DeprecatedOptions]>
interface LogOptions {
  readonly level?: Level
  readonly args?: boolean
  readonly result?: boolean
}
declare const log: Decorator<[options?: LogOptions]>
interface SpeedOptions {
  readonly slow?: number
}
declare const speed: Decorator<[options?: SpeedOptions]>
declare const version: Decorator<[constraint: string]>
export { deprecated, log, speed, version }
export type { DeprecatedOptions, LogOptions, SpeedOptions }
