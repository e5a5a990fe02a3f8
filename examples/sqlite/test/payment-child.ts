/** A process of the app. It appends each payment to a file, and then stops for good if the amount is 13. */
import { appendFileSync, readFileSync } from 'node:fs'
import { paymentApp } from '../app.js'

const [, , path = '', payments = ''] = process.argv

const app = paymentApp(path, async (amount) => {
  appendFileSync(payments, `${amount}\n`)
  if (amount === 13) await new Promise(() => {})
  return readFileSync(payments, 'utf8').split('\n').length - 1
})
const { url } = await app.listen({ port: 0 })
process.send?.(url)
