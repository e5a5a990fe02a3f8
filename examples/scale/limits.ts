/** Limits of the app. nginx and Kubernetes must match: nginx.ts inserts these numbers, and a test compares the manifests. */

/** In bytes, except `url`, which is in characters. */
export const LIMITS = { body: 64 * 1024, headerBytes: 16 * 1024, url: 8 * 1024 }

/** In ms. */
export const TIMEOUTS = { keepAlive: 5_000, handler: 10_000, drain: 2_000, close: 10_000 }

/** PostgreSQL connections of each process. By default, PostgreSQL accepts 100 in total. */
export const POOL = 10

/** Port in a container. */
export const PORT = 3000
