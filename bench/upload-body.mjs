/** The request body of W9: two fields, and a file of 1 MB in one part. */
const BOUNDARY = 'verbena-bench-5f0c2a9e'
const FILE_SIZE = 1_000_000

export const UPLOAD_TYPE = `multipart/form-data; boundary=${BOUNDARY}`
export const UPLOAD_BODY = Buffer.concat([
  Buffer.from(formatField('title', 'A garden at noon') + formatField('year', '1815') + formatFileHead()),
  createBytes(),
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
])

function formatField(name, value) {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
}

function formatFileHead() {
  const head = 'Content-Disposition: form-data; name="image"; filename="garden.png"\r\nContent-Type: image/png'
  return `--${BOUNDARY}\r\n${head}\r\n\r\n`
}

/** Returns bytes as irregular as an image, so that a parser also finds the first bytes of a boundary in them. */
function createBytes() {
  const bytes = Buffer.alloc(FILE_SIZE)
  let state = 1
  for (let at = 0; at < FILE_SIZE; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}
