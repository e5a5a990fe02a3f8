/** `verbena/testing`: apps in memory, replaced providers and services, single methods. */
export type { MissingAnswer } from './testing/documented-answers.js'
export { override } from './injection/override.js'
export type { Override } from './injection/override.js'
export { invoke } from './testing/invoke.js'
export type { Invoked, InvokedParts, InvokedRequest, ReturnAt, VerbsAt } from './testing/invoke.js'
export { testApp, TestFailure } from './testing/test-app.js'
export type { TestApp } from './testing/test-app.js'
export type { StrictOptions, TestOptions } from './testing/test-options.js'
