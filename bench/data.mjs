/** The responses of all servers, so that their bytes can be compared. */

/** W1 and W7. */
export const STATUS = { status: 'ok', version: '1.0.0' }

/** W3: the id of a new user. */
export const USER_ID = '5f0c2a9e'

/** W4: 10 kB of JSON. */
export const ITEMS = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  name: `Item number ${index + 1}`,
  price: 10 + index / 4,
  available: index % 3 !== 0,
  tags: ['garden', `shelf-${index % 10}`],
}))

/** W8: number of events in a stream. */
export const EVENT_COUNT = 3_000

/** W8: an event of 50 bytes of JSON. `index` is below `EVENT_COUNT`. */
export function createEvent(index) {
  return { n: 1_000 + index, text: 'thirty characters of an event.' }
}

/** W9: the response to an upload. It contains the last byte of the file, so each handler must read the bytes. */
export function createReceipt({ title, year }, name, bytes) {
  return { title, year: Number(year), name, size: bytes.length, end: bytes.at(-1) }
}

/** W5: 500 paths with 20 different first segments; each server adds a parameter. */
export const RESOURCES = Array.from({ length: 500 }, (_, index) => `/section-${index % 20}/resource-${index}`)
