/** Starts the app without a proxy. */
import { createProxiedApp, Journal } from './app.js'

const { url } = await createProxiedApp(new Journal()).listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(`Listening on ${url}`)
