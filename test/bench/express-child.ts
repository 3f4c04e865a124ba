import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'

// The minimum that Express can do: serve the given file as JSON, or 304 for a matching ETag.
const [file = '', etag] = process.argv.slice(2)
const bytes = readFileSync(file)
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/', (req, res) => {
  if (etag !== undefined) res.setHeader('ETag', etag)
  if (etag !== undefined && req.headers['if-none-match'] === etag) {
    res.status(304).end()
    return
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', bytes.length)
  res.end(bytes)
})
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('disconnect', () => process.exit())
