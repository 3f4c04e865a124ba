import { must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done, makeSite, type Site } from '../sites/tools.ts'

/** A site whose space has a page at `evil`, in addition to the first page. */
export type Page = { site: Site; path: string; base: string }

let made = 0

/** Publishes a text as the page `evil` of a site of its own. */
export async function publishText(stage: Stage, markdown: string, set: object = {}): Promise<Page> {
  const { id } = await done(stage, 'POST /v1/orgs/acme/spaces', { title: `Pages ${made++}` })
  await done(stage, `POST /v1/spaces/${id}/content`, {
    changes: [{ operation: 'insert_page', title: 'Evil', slug: 'evil', document: { markdown } }],
  })
  const site = await makeSite(stage, { visibility: 'public', ...set }, id)
  const base = new URL(site.base).pathname
  return { site, base, path: `${base}evil` }
}

/** Opens an address as a browser without a token. */
export const open = (
  stage: Stage,
  path: string,
  headers: Record<string, string> = {},
): Promise<Seen> =>
  stage.call('GET', path, {
    as: 'none',
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
  })

const eventHandler = /<[a-z][^>]*\son[a-z]+\s*=/i
const executable =
  /\s(?:href|src|action|formaction|srcset|poster|data)\s*=\s*["']?\s*(?:javascript|vbscript|data:text)/i

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Throws if a page contains a script, a style or an address that its author wrote. */
export function mustBeSafe({ text }: Seen, what: string): void {
  const scripts = [...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/gi)]
  const foreign = scripts.filter(([tag, body]) => {
    const src = /^<script\b[^>]*?\ssrc="?([^"\s>]*)/.exec(tag)?.[1]
    // Data is not run, but must end where the page ends it.
    if (/^<script type="application\/ld\+json"/.test(tag)) return !isJson(body ?? '')
    return /alert/i.test(body ?? '') || (src !== undefined && !src.startsWith('/~stemma/assets/'))
  })

  must(foreign.length === 0, `${what} has a script: ${foreign[0]?.[0].slice(0, 200)}`)
  const rest = text.replace(/<script\b[^>]*>[\s\S]*?<\/script>/gi, '')

  for (const pattern of [
    eventHandler,
    executable,
    /<(?:base|object|embed|applet|style)\b/i,
    /<[a-z][^>]*\sstyle\s*=/i,
  ]) {
    const found = pattern.exec(rest)
    must(!found, `${what} has ${found?.[0].slice(0, 200)}`)
  }

  must(!/<meta[^>]*http-equiv/i.test(rest), `${what} has a meta element of the author`)
  must(!/<form[^>]*action=["']?https?:/i.test(rest), `${what} has a form of the author`)
}

/** Throws unless an answer is one of these, never leads to another server and sets no cookie. */
export function mustStay(seen: Seen, right: readonly number[], what: string): void {
  const { status, headers = {}, text } = seen
  must(right.includes(Number(status)), `${what}: ${status} ${text.slice(0, 200)}`)
  must(headers['set-cookie'] === undefined, `${what} sets a cookie`)
  const { location } = headers
  must(location === undefined || /^\/(?![/\\])/.test(location), `${what} leads to ${location}`)
  if (/^text\/html/.test(headers['content-type'] ?? '')) mustBeSafe(seen, what)
}
