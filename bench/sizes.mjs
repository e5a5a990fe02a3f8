/**
 * Installs frameworks with npm into empty folders, and prints the number of packages and the size of their files: each framework without
 * plugins, and with the packages for validated bodies, an OpenAPI document, uploads, CORS and rate limits. Packages of types are not
 * installed.
 *
 *   node bench/sizes.mjs [--publish]
 *
 * It requires a registry, and a build of Verbena in `dist`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readVersions, runNpm } from './npm.mjs'
import { publish, table } from './report.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NEST = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs']
const NEST_API = ['class-validator', 'class-transformer', '@nestjs/swagger', '@nestjs/throttler']

/** Packages of each framework, and the additional packages of the complete API. */
const FRAMEWORKS = {
  Verbena: { alone: ['verbena'], added: ['zod'] },
  Hono: { alone: ['hono', '@hono/node-server'], added: ['zod', '@hono/zod-openapi', 'hono-rate-limiter'] },
  Express: { alone: ['express'], added: ['zod', 'zod-openapi', 'multer', 'cors', 'express-rate-limit'] },
  Fastify: {
    alone: ['fastify'],
    added: ['@fastify/multipart', '@fastify/swagger', '@fastify/cors', '@fastify/rate-limit'],
  },
  Elysia: {
    alone: ['elysia', '@elysiajs/node'],
    added: ['@elysiajs/openapi', '@elysiajs/cors', 'elysia-rate-limit'],
  },
  'NestJS on Express': { alone: [...NEST, '@nestjs/platform-express'], added: NEST_API },
  'NestJS on Fastify': { alone: [...NEST, '@nestjs/platform-fastify'], added: [...NEST_API, '@fastify/multipart'] },
}

/** Versions of the packages that no server of the benchmark uses. */
const VERSIONS = {
  '@elysiajs/cors': '1.4.2',
  '@elysiajs/openapi': '1.4.16',
  '@fastify/cors': '11.4.3',
  '@fastify/rate-limit': '11.2.0',
  '@fastify/swagger': '9.9.3',
  '@hono/zod-openapi': '1.6.3',
  '@nestjs/swagger': '12.0.2',
  '@nestjs/throttler': '6.7.1',
  cors: '2.8.6',
  'elysia-rate-limit': '4.6.3',
  express: '5.3.0',
  'express-rate-limit': '8.7.5',
  'hono-rate-limiter': '0.5.4',
  multer: '2.5.0',
  'zod-openapi': '6.0.2',
}

const { values } = parseArgs({ options: { publish: { type: 'boolean', default: false } } })
const directory = mkdtempSync(join(tmpdir(), 'verbena-sizes-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const versions = { ...VERSIONS, ...readVersions(), verbena: packVerbena() }

const rows = Object.entries(FRAMEWORKS).map(([name, { alone, added }]) => [
  name,
  ...measure(`${name} alone`, alone),
  ...measure(`${name} complete`, [...alone, ...added]),
])
const shown = table([['', 'packages', 'size', 'packages, complete API', 'size, complete API'], ...rows])
console.log(shown)
if (values.publish) publish('sizes', `npm ${runNpm(['--version'], ROOT).trim()}, ${today()}.`, shown)

/** Packs the build, and returns the path of the tarball. */
function packVerbena() {
  if (!existsSync(join(ROOT, 'dist/index.js'))) {
    console.error('Cannot run: dist is missing. Run "npm run build"')
    process.exit(1)
  }
  const [{ filename }] = JSON.parse(runNpm(['pack', '--json', '--pack-destination', directory], ROOT))
  return `file:${join(directory, filename)}`
}

/** Installs packages into an empty folder, and returns their number and their size. */
function measure(name, packages) {
  const folder = mkdtempSync(join(directory, `${name.replaceAll(' ', '-')}-`))
  const dependencies = Object.fromEntries(packages.map((name) => [name, versions[name]]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  runNpm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder)
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const bytes = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name: file }) => sum + statSync(join(parentPath, file)).size, 0)
  return [String(Object.keys(lock.packages).length - 1), `${(bytes / 1e6).toFixed(1)} MB`]
}

function today() {
  return new Date().toISOString().slice(0, 10)
}
