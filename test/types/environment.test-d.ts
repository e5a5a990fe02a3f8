/** Settings have the output types of their schema. */
import { type } from 'arktype'
import * as v from 'valibot'
import { environment } from 'verbena'
import * as z from 'zod'
import { sameType } from './same-type.js'

const ofZod = environment(z.object({ PORT: z.int().default(1), AT: z.string().transform((text) => new Date(text)) }))
sameType<typeof ofZod, { PORT: number; AT: Date }>()
const ofValibot = environment(v.object({ KEY: v.string() }), { KEY: 'a', OTHER: undefined })
sameType<typeof ofValibot, { KEY: string }>()
const ofArktype = environment(type({ 'KEY?': 'string' }), process.env)
sameType<typeof ofArktype, { KEY?: string }>()
// @ts-expect-error - a variable is a text
environment(z.object({ PORT: z.int() }), { PORT: 1 })
// @ts-expect-error - no schema
environment({ PORT: 'number' })
