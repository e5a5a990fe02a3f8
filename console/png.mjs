/** Makes pictures smaller: PNG with a palette of 256 colors, which is enough for screens with few colors (RFC 2083). */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MAX_COLOURS = 256
/** Number of exact colors. Most areas have a single color, so the most frequent colors do not change. */
const MAX_EXACT = 180
const CHANNELS = { 2: 3, 6: 4 }

/** Converts a PNG of Chromium, with 8 bits each for red, green and blue, to a PNG with a palette. */
export function withPalette(png) {
  const chunks = readChunks(png)
  const head = chunks.find(({ type }) => type === 'IHDR').data
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  const [width, height, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), CHANNELS[head[9]]]
  if (head[8] !== 8 || channels === undefined || head[12] !== 0) throw new Error('Cannot read this kind of PNG')
  const colours = readColours(removeFilters(data, { width, height, channels }), channels)
  const palette = choosePalette(colours)
  const indices = new Map()
  const lines = Buffer.alloc((width + 1) * height)
  for (const [at, colour] of colours.entries()) {
    if (!indices.has(colour)) indices.set(colour, nearest(palette, colour))
    lines[at + Math.floor(at / width) + 1] = indices.get(colour)
  }
  head.set([8, 3], 8)
  const colourBytes = Buffer.from(palette.flatMap((colour) => splitParts(colour)))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colourBytes),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function readChunks(png) {
  const chunks = []
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: Buffer.from(png.subarray(at + 8, at + 8 + length)),
    })
    at += length + 12
  }
  return chunks
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Removes the filters. The first byte of each line selects how its bytes are predicted from their neighbors. */
function removeFilters(data, { width, height, channels }) {
  const stride = width * channels
  const pixels = Buffer.alloc(stride * height)
  for (let row = 0; row < height; row++) {
    const filter = data[row * (stride + 1)]
    for (let at = 0; at < stride; at++) {
      const to = row * stride + at
      const left = at < channels ? 0 : pixels[to - channels]
      const above = row === 0 ? 0 : pixels[to - stride]
      const corner = at < channels || row === 0 ? 0 : pixels[to - stride - channels]
      pixels[to] = data[row * (stride + 1) + 1 + at] + foretold(filter, { left, above, corner })
    }
  }
  return pixels
}

function foretold(filter, { left, above, corner }) {
  if (filter === 4) return paeth(left, above, corner)
  return [0, left, above, (left + above) >> 1][filter]
}

function paeth(left, above, corner) {
  const sum = left + above - corner
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

function readColours(pixels, channels) {
  const colours = new Uint32Array(pixels.length / channels)
  for (let at = 0; at < colours.length; at++) colours[at] = pixels.readUIntBE(at * channels, 3)
  return colours
}

/** Selects a palette: the most frequent colors, and other colors so that each color has a similar one. */
function choosePalette(colours) {
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour)
  for (let least = 0; ; least += 4) {
    const palette = apart(sorted, least)
    if (palette.length <= MAX_COLOURS) return palette
  }
}

function apart(colours, least) {
  const palette = colours.slice(0, MAX_EXACT)
  for (const colour of colours.slice(MAX_EXACT)) {
    if (palette.length > MAX_COLOURS) return palette
    if (palette.every((other) => distance(other, colour) > least)) palette.push(colour)
  }
  return palette
}

function nearest(palette, colour) {
  let best = 0
  for (let at = 1; at < palette.length; at++) {
    if (distance(palette[at], colour) < distance(palette[best], colour)) best = at
  }
  return best
}

function distance(one, other) {
  const [a, b] = [splitParts(one), splitParts(other)]
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
}

function splitParts(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255]
}
