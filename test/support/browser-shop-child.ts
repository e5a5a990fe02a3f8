/** Runs the shop in a separate process: `node --import=tsx test/support/browser-shop-child.ts <port>`. Prints its port. */
import { makeShop } from '#test/browser-shop.js'

const { app } = makeShop({ signals: true })
const { port } = await app.listen({ port: Number(process.argv[2] ?? 0) })
console.log(`listens at ${port}`)
