/** Starts the chat: `npx tsx examples/chat/main.ts`. */
import { chatApp } from './app.js'

const { url } = await chatApp().listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(`The chat is on ${url}`)
