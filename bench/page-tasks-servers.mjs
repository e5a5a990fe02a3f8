/** The three pages of `page-tasks.mjs`, each on a port of this machine, compressed with gzip. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Settings of FastAPI 0.142 (`fastapi/openapi/docs.py`), whose page loads these files from a CDN. */
const fastapiPage = (url) => `<!DOCTYPE html>
<html>
<head>
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link type="text/css" rel="stylesheet" href="/swagger-ui.css">
<link rel="shortcut icon" href="data:,">
<title>Tea shop - Swagger UI</title>
</head>
<body>
<div id="swagger-ui">
</div>
<script src="/swagger-ui-bundle.js"></script>
<script>
const ui = SwaggerUIBundle({
url: '${url}',
"dom_id": "#swagger-ui",
"layout": "BaseLayout",
"deepLinking": true,
"showExtensions": true,
"showCommonExtensions": true,
oauth2RedirectUrl: window.location.origin + '/docs/oauth2-redirect',
presets: [
SwaggerUIBundle.presets.apis,
SwaggerUIBundle.SwaggerUIStandalonePreset
],
})
</script>
</body>
</html>
`

/** The page of Scalar's instructions for HTML and a CDN, with a source for each version, the newest first. */
const scalarPage = (sources) => `<!doctype html>
<html>
<head>
<title>Tea shop</title>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<link rel="icon" href="data:," />
</head>
<body>
<div id="app"></div>
<script src="/standalone.js"></script>
<script>
Scalar.createApiReference('#app', { sources: ${JSON.stringify(sources)} })
</script>
</body>
</html>
`

/**
 * Starts the pages of Swagger UI and Scalar.
 *
 * @param {string} packages `node_modules` of the packages
 * @param {Map<string, string>} documents text of the document by version, the oldest first
 */
export async function startPeers(packages, documents) {
  const read = (path) => readFileSync(join(packages, path))
  const files = [...documents].map(([version, text]) => [`/${version}.json`, text])
  const newest = [...documents.keys()].toReversed()
  const sources = newest.map((version, index) => ({ title: version, url: `/${version}.json`, default: index === 0 }))
  return [
    await serve({
      ...Object.fromEntries(files),
      '/docs': fastapiPage(`/${newest[0]}.json`),
      '/swagger-ui.css': read('swagger-ui-dist/swagger-ui.css'),
      '/swagger-ui-bundle.js': read('swagger-ui-dist/swagger-ui-bundle.js'),
    }),
    await serve({
      ...Object.fromEntries(files),
      '/docs': scalarPage(sources),
      '/standalone.js': read('@scalar/api-reference/dist/browser/standalone.js'),
    }),
  ]
}

const TYPES = { css: 'text/css', js: 'text/javascript', json: 'application/json' }

async function serve(files) {
  const server = createServer((request, response) => {
    const content = files[request.url]
    if (content === undefined) return response.writeHead(404).end()
    const type = TYPES[request.url.split('.').at(-1)] ?? 'text/html; charset=utf-8'
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(content))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/docs`, close: () => server.close() }
}
