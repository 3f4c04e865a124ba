import type { ContentTree } from '../../content/tree/build.ts'
import { isUrl, targetsIn } from '../../content/tree/targets.ts'
import type { LinkPage } from './schema.ts'

type Linked = Pick<LinkPage, 'target' | 'href'>

/** Schemes that are safe in a link; others could run code. */
const harmless = /^(?:https?|mailto|tel):/i

/**
 * Returns a function that resolves link targets of a revision: by id for its own pages and files,
 * else as a URL.
 */
export function linkTargets(content: ContentTree): (target: string) => Linked {
  const targetOf = targetsIn(content)
  const find = (target: string): Linked | undefined => {
    const found = targetOf(target)
    if (!found) return undefined
    return 'page' in found
      ? { target: { kind: 'page', page: found.page.id }, href: found.page.path }
      : { target: { kind: 'file', file: found.file.id }, href: found.file.path }
  }

  return target => {
    if (isUrl(target)) return toUrl(target)
    const hash = target.indexOf('#')
    const whole = find(target)
    if (whole) return whole
    if (hash < 0) return toUrl(target)

    const anchor = target.slice(hash + 1)
    if (hash === 0) return { target: { kind: 'anchor', anchor }, href: target }

    const before = find(target.slice(0, hash))
    if (before?.target.kind !== 'page') return before ?? toUrl(target)

    return {
      target: { kind: 'anchor', anchor, page: before.target.page },
      href: `${before.href}#${anchor}`,
    }
  }
}

function toUrl(url: string): Linked {
  return { target: { kind: 'url', url }, ...(harmless.test(url) && { href: url }) }
}
