/** Decorators for verb methods. */
export { log } from './decorators/log.js'
export type { LogDecorator, LogOptions } from './decorators/log.js'
export type { MethodDecorator } from './decorators/notes.js'
