/**
 * `verbena/testing`: apps in memory, replaced providers and services, and calls of single methods.
 *
 * @module
 */

// # Testing
export { testApp, TestFailure } from './testing/test-app.js'
export type { TestApp } from './testing/test-app.js'
export type { TestOptions, TestRequestOptions, StrictOptions } from './testing/variant.js'
export type { MissingResponse } from './testing/documented-responses.js'
export { override } from './setup/override.js'
export type { Override } from './injection/override.js'
export { invoke } from './testing/invoke.js'

// # Inferred types
export type { Invoked, InvokedParts, InvokedRequest, ReturnAt } from './testing/invoke.js'
export type { VerbsAt } from './http/methods.js'
