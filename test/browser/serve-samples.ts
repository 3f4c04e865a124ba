import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { siteAssets } from '../../src/site/assets/assets.ts'
import { renderHits, renderNav, renderPage } from '../../src/site/views/render.tsx'
import { inlineScript } from '../../src/ui/frame/inline-script.ts'
import { sampleFrame, sampleNav, sampleSearch, samples } from './samples.ts'

const digest = createHash('sha256').update(inlineScript).digest('base64')
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${digest}'`,
  "style-src 'self'",
  "img-src 'self' data: https:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 240" width="640" height="240"><rect width="640" height="240" fill="#4f7cd8"/><circle cx="480" cy="120" r="80" fill="#fff" opacity=".3"/></svg>'

/** Serves the sample pages with the headers of the reading site, on a free port of 127.0.0.1. */
export async function serveSamples(): Promise<{ url: string; close: () => Promise<void> }> {
  const assets = await siteAssets()
  const files = new Map(Object.values(assets).map(asset => [`/assets/${asset.name}`, asset]))
  function send(response: ServerResponse, type: string, body: string | Buffer): void {
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy }).end(body)
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const html = 'text/html; charset=utf-8'
    const file = files.get(pathname)
    if (file) return send(response, file.type, file.bytes)
    if (pathname === '/picture.svg') return send(response, 'image/svg+xml', picture)
    if (pathname === '/page.md') return send(response, 'text/markdown', '# Trouble Shooting')
    if (pathname === '/feedback') return send(response, html, 'Thank you.')
    if (pathname.startsWith('/fragment/'))
      return send(response, html, renderNav(sampleFrame(assets), sampleNav.slice(0, 2)))

    if (pathname === '/search' && searchParams.has('part'))
      return send(
        response,
        html,
        renderHits(sampleFrame(assets), sampleSearch(searchParams.get('q') ?? '')),
      )

    const sample = samples[pathname] ?? samples['/missing']!

    send(response, html, renderPage(sampleFrame(assets, sample.frame), sample.page))
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
