/** Classes of a large app: two endpoints each, with zod schemas that no other class uses. */
import * as z from 'zod'

/** Kinds of fields. A class has eight of them, with different names, so that few classes have equal schemas. */
const FIELDS = [
  () => z.string().min(1).max(100),
  () => z.email(),
  () => z.number().min(0),
  () => z.enum(['draft', 'active', 'archived']),
  () => z.array(z.string()),
  () => z.object({ street: z.string(), city: z.string(), zip: z.string().max(10) }),
  () => z.string().max(1000).optional(),
  () => z.boolean().default(false),
  () => z.iso.datetime(),
  () => z.int().nullable(),
  () => z.uuid(),
  () => z.array(z.object({ sku: z.string(), count: z.int().min(1) })),
  () => z.union([z.object({ card: z.string() }), z.object({ iban: z.string(), holder: z.string() })]),
]

/**
 * Creates the schemas of a class.
 *
 * @param {number} number of the class
 * @param {boolean} [isCoerced] whether the query converts strings itself
 */
export function createSchemas(number, isCoerced = false) {
  const limit = isCoerced ? z.coerce.number().int() : z.int()
  const fields = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => {
      const kind = (number * 5 + at * (1 + (number % 3))) % FIELDS.length
      return [`field${number % 97}_${at}`, FIELDS[kind]()]
    }),
  )
  const Shown = z.object({ id: z.int(), ...fields })
  return {
    Page: z.object({ limit: limit.min(1).max(100).default(10), search: z.string().optional() }),
    List: z.array(Shown),
    New: z.object(fields),
    Shown: Shown.extend({ created: z.iso.datetime() }),
  }
}

/**
 * Creates the routes of an app.
 *
 * @param {object} verbena the module
 * @param {number} count classes
 * @returns {object} route classes by name
 */
export function createRoutes({ Route }, count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, number) => [`Things${number}`, createRoute(Route, number)]),
  )
}

function createRoute(Route, number) {
  const { Page, List, New, Shown } = createSchemas(number)
  return class extends Route {
    static get = this.contract({ query: Page, returns: List })
    static post = this.contract({ body: New, returns: Shown, status: 201 })
    async get() {
      return []
    }
    async post({ body }) {
      return { id: 1, ...body, created: '2027-01-01T00:00:00Z' }
    }
  }
}
