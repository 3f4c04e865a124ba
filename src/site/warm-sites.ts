import { setTimeout } from 'node:timers/promises'
import { baseOfSite } from '../actions/sites/addresses.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { listPublicSites } from '../store/sites/sites.ts'
import { answerPage } from './pages/answer-page.ts'
import { openPlace, resolve } from './place/open-place.ts'

/** The most sites whose front page is rendered. */
const mostWarmed = 20

/** The most redirects between the address of a site and its front page. */
const mostRedirects = 3

/**
 * Renders the front page of each public site, up to 20 of them, so that readers do not wait for
 * what a new process reads and compiles first. Pauses in between for `rest` times as long as the
 * last one took.
 */
export async function warmSites(
  ctx: Context,
  { rest, signal }: { rest: number; signal: AbortSignal },
): Promise<void> {
  const sites = listPublicSites(ctx.store, mostWarmed)
  for (const [at, site] of sites.entries()) {
    if (signal.aborted) return
    const started = performance.now()
    await renderFront(ctx, baseOfSite(ctx, site), signal).catch(error => {
      // Readers are told why a site has no page.
      if (!(error instanceof Fault) && !signal.aborted)
        ctx.log.warn(
          { site: site.id, err: String(error) },
          'the front page of a site cannot be rendered',
        )
    })
    if (at < sites.length - 1)
      await setTimeout((performance.now() - started) * rest, undefined, { signal }).catch(() => {})
  }
}

async function renderFront(ctx: Context, address: string, signal: AbortSignal): Promise<void> {
  let url = address
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const resolved = await resolve(ctx, {
      address: url,
      isAgent: false,
      jwtToken: undefined,
      session: async () => undefined,
      unsigned: undefined,
      previewer: undefined,
      user: undefined,
    })

    if (resolved.kind === 'redirect') {
      if (resolved.target === 'external') return
      url = new URL(resolved.redirect, url).href
      continue
    }

    const place = await openPlace(ctx, resolved, { user: undefined, signal, hold: async () => {} })
    const answered = await answerPage(place, {
      form: 'page',
      endsWithSlash: url.endsWith('/'),
    })
    if (!('redirect' in answered)) return
    url = new URL(answered.redirect, url).href
  }
}
