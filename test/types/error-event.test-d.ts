/** Types of the event that reports a failure of an event stream. */
import { events, type Headed } from 'verbena'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Count = z.object({ n: z.int() })
const plain = events(Count)
const beaten = events(Count, { heartbeat: 5 })
const named = events(Count, { errorEvent: 'failure' })
const headed = events(Count, { errorEvent: 'failure', headers: z.object({ 'x-total': z.string() }) })

sameType<(typeof plain)['~errorEvent'], 'error'>()
sameType<(typeof beaten)['~errorEvent'], 'error'>()
sameType<(typeof named)['~errorEvent'], 'failure'>()
sameType<(typeof headed)['~errorEvent'], 'failure'>()
headed satisfies Headed<unknown>

// @ts-expect-error - the name is a string
events(Count, { errorEvent: 7 })
