import { request } from 'node:http'
import type { SiteRow } from '../../src/store/tables/rows.ts'
import { type App, startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { publishedSite } from '../support/sites.ts'

export const siteApp = (env: Record<string, string> = {}): Promise<App> => startApp(env)

export type Opened = { status: number; headers: Headers; bytes: Buffer; text: string }

/** Opens a path of a server like a browser that follows no redirects. */
export function openPage(
  app: Pick<App, 'url'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const sent = request(app.url + path, { agent: false, headers }, response => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        const given = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ])

        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(given),
          bytes,
          text: bytes.toString(),
        })
      })
    })

    sent.on('error', reject)
    sent.end()
  })
}

/**
 * Opens an image that the server makes. On a busy machine the first attempts may time out, so this
 * puts the clock forward to the time of the next one.
 */
export async function openMade(
  app: App,
  path: string,
  headers: Record<string, string> = {},
): Promise<Opened> {
  for (let attempt = 1; ; attempt++) {
    const opened = await inMinutes(app, attempt * 6, () => openPage(app, path, headers))
    if (opened.status < 305 || attempt === 3) return opened
  }
}

/** Runs work with the clock of the server put forward. */
export async function inMinutes<Result>(
  app: App,
  minutes: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { now } = app.ctx
  Object.assign(app.ctx, { now: () => new Date(now().getTime() + minutes * 60_000) })
  try {
    return await work()
  } finally {
    Object.assign(app.ctx, { now })
  }
}

/**
 * Creates a space with files on a site of its own that is published. Returns the path of the site's
 * base, with ids.
 */
export async function insertPublicSite(
  app: App,
  files: Readonly<Record<string, string | Buffer>>,
  set: Partial<SiteRow> = {},
): Promise<{ base: string; space: string; site: string }> {
  const { space } = await makeSpace(app, files, 'Handbook')
  const site = await publishedSite(app, [space.id], { visibility: 'public', ...set })
  return { base: `/sites/acme/${site.basename}/`, space: space.id, site: site.id }
}
