/** Starts the app on the port in the environment. No other file opens a port. */
import { environment } from 'verbena'
import * as z from 'zod'
import { libraryApp } from './app.js'

const { PORT } = environment(z.object({ PORT: z.int().min(0).max(65_535).default(3000) }))
const { url } = await libraryApp().listen({ port: PORT })

console.log(`The library listens on ${url}/v1/books`)
