/** What the app allows. nginx and Kubernetes have to agree with it: the first is given these numbers, the tests compare the second. */

/** In bytes, but `url`, which is in characters. */
export const LIMITS = { body: 64 * 1024, headerBytes: 16 * 1024, url: 8 * 1024 }

/** In ms. */
export const TIMEOUTS = { keepAlive: 5_000, handler: 10_000, drain: 2_000, close: 10_000 }

/** Connections of each process to PostgreSQL; it takes 100 from all of them, unless told otherwise. */
export const POOL = 10

/** The port in a container. */
export const PORT = 3000
