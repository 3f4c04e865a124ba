import { pageLanguage } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type { PageInSpace } from '../../content/links/classify.ts'
import {
  type MetaTarget,
  type MetaTargets,
  metaTargetsIn,
} from '../../content/links/meta-targets.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { addressOfPage, encodePath, pathOfPage } from '../../content/tree/page-address.ts'
import type { Context } from '../../context.ts'
import type { Audience } from '../reading/audience.ts'
import { findShownPage } from '../reading/shows-page.ts'
import type { SiteSpaceView, SiteView } from './view-site.ts'

/** The most variants, and links in `metaLinks`, in which a page is looked up. */
const mostLookedUp = 10

/** The content of a space where a site shows it. */
export type ShownOnSite = {
  ctx: Context
  view: SiteView
  siteSpace: Pick<SiteSpaceView, 'row' | 'space' | 'section' | 'path'>
  settings: Settings
  content: ContentTree
  audience: Audience
}

/** Whether a variant is the current one, and the same page in it if it has one. */
type Variant = {
  current: boolean
  /**
   * Its id and that of its space, its encoded path below the base of the site, the language of the
   * variant, and whether the variant is the default.
   */
  page?: { id: string; space: string; path: string; lang: string; isDefault: boolean } | undefined
}

type VariantPage = Variant & { siteSpace: SiteSpaceView }

/**
 * Returns the variants of the section of a site space, with the page that is the same one in each:
 * the one that `metaLinks` of the page name, otherwise the one with the same path, or the same id.
 * None if there is no other variant.
 */
export async function variantPages(shown: ShownOnSite, page?: PageNode): Promise<VariantPage[]> {
  const { ctx, view, settings, content, audience } = shown
  const { section, row } = shown.siteSpace
  const siteSpaces = view.siteSpaces.filter(each => each.section?.id === section?.id)
  if (siteSpaces.length < 2) return []

  const targets = page && targetsOf(shown, page)
  const same = page && { path: pathOfPage(content, page), id: page.id }

  return Promise.all(
    siteSpaces.map(async (siteSpace, at) => {
      const { space, path } = siteSpace
      const current = siteSpace.row.id === row.id
      const named = current ? undefined : targets && namedIn(targets.alternates, space.id)
      const found =
        same && at < mostLookedUp
          ? ((named && (await findShownPage(ctx, space, named, audience))) ??
            (await findShownPage(ctx, space, same, audience)))
          : undefined

      return {
        siteSpace,
        current,
        page: found && {
          id: found.node.id,
          space: space.id,
          path: path + encodePath(pathOfPage(found.content, found.node)),
          lang: pageLanguage(settings, space.language).lang,
          isDefault: siteSpace.isDefault,
        },
      }
    }),
  )
}

const targetsOf = ({ ctx, siteSpace, content }: ShownOnSite, page: PageNode): MetaTargets =>
  metaTargetsIn(content, { spaceId: siteSpace.space.id, own: ctx.publicUrl() })(page)

function namedIn(targets: readonly MetaTarget[], spaceId: string): PageInSpace | undefined {
  for (const target of targets)
    if (target.kind === 'elsewhere' && target.page.space === spaceId) return target.page
  return undefined
}

/** What the head of a page tells search engines; an alternate has the ids of its page and space. */
export type SearchLinks = {
  canonical: string
  alternates: { lang: string; href: string; page: string; space: string }[]
}

/**
 * Returns what a page tells search engines at its place on a site: its public address, or the one
 * that its `metaLinks` name, and the same page in the languages of the other variants. `base` is
 * the public base of the addresses of the site, with a slash at its end.
 */
export async function searchLinks(
  shown: ShownOnSite,
  page: PageNode,
  { base, variants }: { base: string; variants: readonly Variant[] },
): Promise<SearchLinks> {
  const own = addressOfPage(base + shown.siteSpace.path, shown.content, page)
  const { canonical } = targetsOf(shown, page)
  const named = canonical && (await addressOf(shown, base, canonical))
  const isElsewhere = named !== undefined && named !== own

  return {
    canonical: named ?? own,
    // Only a page that is to be listed has other languages.
    alternates: isElsewhere ? [] : alternatesOf(shown.view, base, variants),
  }
}

/** Returns the public address of a target; undefined for a page that the site does not show. */
async function addressOf(
  { ctx, view, siteSpace, content, audience }: ShownOnSite,
  base: string,
  target: MetaTarget,
): Promise<string | undefined> {
  if (target.kind === 'url') return target.url
  if (target.kind === 'page') return addressOfPage(base + siteSpace.path, content, target.page)
  const there = view.siteSpaces.find(({ space }) => space.id === target.page.space)
  const found = there && (await findShownPage(ctx, there.space, target.page, audience))
  return found && addressOfPage(base + there.path, found.content, found.node)
}

/**
 * Returns a page in its languages: one address per language, this one included, and that of the
 * default variant for all other languages. None if there is one language, and where search
 * engines may not come.
 */
function alternatesOf(
  { site }: SiteView,
  base: string,
  variants: readonly Variant[],
): SearchLinks['alternates'] {
  if (site.visibility !== 'public') return []
  const byLanguage = new Map<string, NonNullable<Variant['page']>>()
  for (const { page, current } of variants)
    if (page && (current || !byLanguage.has(page.lang))) byLanguage.set(page.lang, page)
  if (byLanguage.size < 2) return []

  const others = variants.find(({ page }) => page?.isDefault)?.page
  const named = [...byLanguage, ...(others ? [['x-default', others] as const] : [])]
  return named.map(([lang, { id, space, path }]) => ({ lang, href: base + path, page: id, space }))
}
