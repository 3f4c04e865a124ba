import { serverOrigin } from '../../content/openapi/call.ts'
import type { SiteScript } from '../../integrations/scripts.ts'
import { scriptsOnSite } from '../../integrations/scripts.ts'
import { isAnyScript } from '../../integrations/security-policy.ts'
import type { SitePlace } from '../place/place.ts'

/** The directives that integrations may extend, and those of a page that they then concern. */
const extended: Readonly<Record<string, string>> = {
  'script-src': 'script-src',
  'script-src-elem': 'script-src',
  'style-src': 'style-src',
  'style-src-elem': 'style-src',
  'img-src': 'img-src',
  'connect-src': 'connect-src',
  'font-src': 'font-src',
  'frame-src': 'frame-src',
  'media-src': 'media-src',
  'worker-src': 'worker-src',
}

/** The most origins of servers that a page connects to. */
const mostOrigins = 10

/**
 * Keywords that a page does not take over: they weaken its own sources, or are not for one page.
 */
const ownKeyword = /^'(?:strict-dynamic|none|nonce-.*)'$/i

/**
 * Returns whether a source would let scripts run that neither the page nor the integration names.
 */
const isTooWide = (source: string): boolean => ownKeyword.test(source) || isAnyScript(source)

/**
 * Returns the scripts of integrations that the page of a place loads. An address for previews has
 * none: they would learn its token.
 */
export const scriptsOf = ({
  ctx,
  resolved: { site, preview },
}: Pick<SitePlace, 'ctx' | 'resolved'>): readonly SiteScript[] =>
  preview || site.published === 0 ? [] : scriptsOnSite(ctx, site)

/**
 * Returns the policy of a page with what its scripts need, and with origins that it may connect to:
 * no directive of the page loses a source, and none is dropped. Of the origins, those are left out
 * that are not exactly one.
 */
export function policyWith(
  policy: string,
  scripts: readonly Pick<SiteScript, 'address' | 'policy'>[],
  origins: readonly string[] = [],
): string {
  if (scripts.length === 0 && origins.length === 0) return policy
  const directives = new Map<string, string[]>()
  for (const [name, ...sources] of directivesIn(policy)) directives.set(name, sources)
  const add = (name: string, sources: readonly string[]) => {
    const before = directives.get(name) ?? ["'self'"]
    directives.set(name, [...new Set([...before, ...sources])])
  }

  add(
    'connect-src',
    origins.filter(origin => serverOrigin(origin) === origin).slice(0, mostOrigins),
  )

  for (const { address, policy: own = '' } of scripts) {
    add('script-src', [address])
    for (const [name, ...sources] of directivesIn(own)) {
      const target = Object.hasOwn(extended, name) ? extended[name] : undefined
      if (target === undefined) continue
      const isOfScripts = target === 'script-src' || target === 'worker-src'
      add(
        target,
        sources.filter(source => source !== "'none'" && !(isOfScripts && isTooWide(source))),
      )
    }
  }

  return [...directives].map(([name, sources]) => [name, ...sources].join(' ')).join('; ')
}

const directivesIn = (policy: string): [string, ...string[]][] =>
  policy
    .split(';')
    .map(directive => directive.trim().split(/\s+/))
    .filter((parts): parts is [string, ...string[]] => (parts[0] ?? '') !== '')
