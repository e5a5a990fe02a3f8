/**
 * `verbena/decorators`: decorators for verb methods.
 *
 * @module
 */

// # Decorators
export { deprecated } from './decorators/deprecated.js'
export type { DeprecatedOptions } from './decorators/deprecated.js'
export { log } from './decorators/log.js'
export type { LogOptions } from './decorators/log.js'
export { speed } from './decorators/speed.js'
export type { SpeedOptions } from './decorators/speed.js'
export { version } from './decorators/version.js'
