/** A server in a separate process: stores an uploaded file in the given folder, and responds with its size and the peak memory. */
import { createApp, Route, type Input } from 'verbena'
import { multipart } from 'verbena/multipart'

const [, , folder = ''] = process.argv
let highest = 0
setInterval(() => {
  const { heapUsed, external } = process.memoryUsage()
  highest = Math.max(highest, heapUsed + external)
}, 5).unref()

class Uploads extends Route {
  static readonly post = this.contract({ body: multipart({ files: { film: { limit: 1e9 } }, folder }) })
  async post({ body }: Input<typeof Uploads.post>) {
    return { size: body.files.film.size, highest }
  }
}

const { url } = await createApp({ routes: { Uploads }, logger: false }).listen()
process.stdout.write(url)
