/** Media types by file extension, and whether they are worth compressing. */
import { extname } from 'node:path'

const UTF_8 = '; charset=utf-8'

/** Extensions by media type, separated by spaces. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  [`text/html${UTF_8}`]: 'html htm',
  [`text/css${UTF_8}`]: 'css',
  [`text/javascript${UTF_8}`]: 'js mjs cjs',
  [`text/plain${UTF_8}`]: 'txt text log ini conf',
  [`text/markdown${UTF_8}`]: 'md markdown',
  [`text/csv${UTF_8}`]: 'csv',
  [`text/calendar${UTF_8}`]: 'ics',
  [`text/vtt${UTF_8}`]: 'vtt',
  [`text/xml${UTF_8}`]: 'xml',
  'application/json': 'json map',
  'application/ld+json': 'jsonld',
  'application/manifest+json': 'webmanifest',
  'application/yaml': 'yaml yml',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/xhtml+xml': 'xhtml',
  'application/wasm': 'wasm',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz tgz',
  'application/x-tar': 'tar',
  'application/rtf': 'rtf',
  'application/epub+zip': 'epub',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/apng': 'apng',
  'image/jpeg': 'jpg jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/tiff': 'tif tiff',
  'image/vnd.microsoft.icon': 'ico',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'video/mp4': 'mp4 m4v',
  'video/webm': 'webm',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/mp2t': 'ts',
  'model/gltf+json': 'gltf',
  'model/gltf-binary': 'glb',
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, names]) => names.split(' ').map((name) => [`.${name}`, type] as const)),
)

/** Returns the media type of a file; `application/octet-stream` for an unknown extension. */
export function mediaTypeFor(name: string): string {
  return TYPES.get(extname(name).toLowerCase()) ?? 'application/octet-stream'
}

/** Whether to look for compressed versions of files of this type. Most images and media formats are already compressed. */
export function isCompressible(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|wasm|rtf)\b|^font\/(?:ttf|otf)|^image\/(?:bmp|vnd)|-binary/.test(type)
}
