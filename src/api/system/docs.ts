import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { Express } from 'express'
import express from 'express'

/**
 * The folder of the viewer's files: they come with the package, nothing is loaded from the network.
 */
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Relative addresses hold below any path that a proxy puts in front. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stemma API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
</head>
<body>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
})
`

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

/** Serves an interactive page of the OpenAPI document at /docs. */
export function serveDocs(app: Express): void {
  const files = express.static(viewer, { index: false, redirect: false, maxAge: '1h' })
  app.get('/docs', (req, res) => {
    if (req.path.endsWith('/')) return res.redirect(302, '../docs')
    res.set('Content-Security-Policy', policy).type('html').send(page)
  })
  app.get('/docs/start.js', (_req, res) => {
    res.type('text/javascript').send(start)
  })
  app.get(
    /^\/docs\/swagger-ui(-bundle\.js|\.css)$|^\/docs\/favicon-32x32\.png$/,
    (req, res, next) => {
      req.url = req.url.slice('/docs'.length)
      files(req, res, next)
    },
  )
}
