/** Strict schema of HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/): unknown members must begin with an underscore. */
import * as z from 'zod'

/** Creates an object schema in which other members must begin with an underscore. */
function members<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .looseObject(shape)
    .refine((value) => Object.keys(value).every((key) => key in shape || key.startsWith('_')), {
      message: 'Unknown members must begin with an underscore',
    })
}

const comment = z.string().optional()
const pair = members({ name: z.string(), value: z.string(), comment })
const size = z.int().min(-1)
const time = z.number().min(-1)

const request = members({
  method: z.string(),
  url: z.url(),
  httpVersion: z.string(),
  cookies: z.array(pair),
  headers: z.array(pair),
  queryString: z.array(pair),
  postData: members({ mimeType: z.string(), text: z.string(), comment }).optional(),
  headersSize: size,
  bodySize: size,
  comment,
})

const response = members({
  status: z.int().min(0),
  statusText: z.string(),
  httpVersion: z.string(),
  cookies: z.array(pair),
  headers: z.array(pair),
  content: members({
    size,
    compression: z.int().optional(),
    mimeType: z.string(),
    text: z.string().optional(),
    comment,
  }),
  redirectURL: z.string(),
  headersSize: size,
  bodySize: size,
  comment,
})

/** The timings that apply must add up to `time` (section "timings"). */
const timings = members({ blocked: time, dns: time, connect: time, send: time, wait: time, receive: time, comment })

const entry = members({
  startedDateTime: z.iso.datetime(),
  time: z.number().min(0),
  request,
  response,
  cache: members({}),
  timings,
  comment,
}).refine(
  ({ time: whole, timings: { blocked, dns, connect, send, wait, receive } }) => {
    const parts = [blocked, dns, connect, send, wait, receive].filter((part) => part >= 0)
    return Math.abs(parts.reduce((sum, part) => sum + part, 0) - whole) < 0.01
  },
  { message: 'The timings do not add up to "time"' },
)

export const HarSchema = members({
  log: members({
    version: z.literal('1.2'),
    creator: members({ name: z.string(), version: z.string(), comment }),
    entries: z.array(entry),
    comment,
  }),
})
