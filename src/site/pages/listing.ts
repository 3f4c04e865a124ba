import { surfaceLocale } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { targetPaths } from '../../content/links/target-paths.ts'
import { addressOfPage, encodePath, pathOfPage } from '../../content/tree/page-address.ts'
import { isUrl, targetsIn } from '../../content/tree/targets.ts'
import { sha256 } from '../../lib/digest.ts'
import { isHarmless } from '../../page-text/targets.ts'
import { fileAddress } from '../place/file-address.ts'
import { iconsOf } from '../place/glyphs.ts'
import type { SitePlace } from '../place/place.ts'
import { markedPages } from '../travel/marked-pages.ts'
import type { Listing } from './nav.ts'

/**
 * Returns the version of the page lists of a place: the revision, and a digest of everything else
 * that they depend on.
 */
export function versionOfLists({ open }: SitePlace, settings: Settings): string {
  const { view, shown, space } = open
  const other = [shown.stamp, settings.styling.icons, surfaceLocale(settings, space.language)]
  return `${view.oid.slice(0, 12)}-${sha256(JSON.stringify(other)).slice(0, 6)}`
}

/** Returns what the list of pages of a place depends on. */
export function listingOf(place: SitePlace, settings: Settings): Listing {
  const { open, base } = place
  const { content } = open.shown
  const version = versionOfLists(place, settings)
  const targetOf = targetsIn(content)
  const pathsOf = targetPaths('')

  return {
    content,
    base,
    iconOf: iconsOf(settings),
    marked: markedPages(place),
    // A path compresses better than an id: it stands in the link before it.
    fragmentOf: node =>
      place.isCopy
        ? undefined
        : `${base}~stemma/nav/${version}/${
            node.type === 'link' ? `~/${node.id}` : encodePath(pathOfPage(content, node))
          }`,
    hrefOf: target => {
      if (isUrl(target)) return isHarmless(target) ? target : undefined
      const { paths, fragment } = pathsOf('', target)
      const found = [target, ...paths].map(targetOf).find(each => each !== undefined)
      if (!found) return undefined
      if ('file' in found) return fileAddress(place, found.file)
      return addressOfPage(base, content, found.page) + (fragment ? `#${fragment}` : '')
    },
  }
}
