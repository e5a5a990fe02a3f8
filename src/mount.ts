/**
 * `verbena/mount`: handlers of other libraries that take a web `Request`.
 *
 * @module
 */

// # Mounted handlers
export { mount } from './features/mount/mount.js'
export type { MountHandler, MountOptions } from './features/mount/mount.js'
export type { Mount } from './route/route-types.js'
export type { WebResponse } from './http/web-response.js'
