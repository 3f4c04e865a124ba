import { drawsImages } from '../../actions/images/draw-image.ts'
import { shareDigest } from '../../actions/images/share-image.ts'
import { pageLanguage } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { siteIcon } from '../../content/customization/site-icon.ts'
import { barOf } from '../../content/customization/theme/bar.ts'
import type { ShareCard } from '../../content/print/share-card.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { SitePlace } from './place.ts'
import { lightColorsOf } from './settings-of-place.ts'

type Card = Omit<ShareCard, 'fonts'>

/** Returns what the share image of a page shows. */
export function shareCard(place: SitePlace, node: PageNode, settings: Settings): Card {
  const { view, open } = place
  const light = lightColorsOf(place)
  const { paper, strong, muted, primary, wash } = light
  const logo = settings.header.logo?.light
  const icon = siteIcon(settings, view.site.title)

  return {
    site: settings.title ?? view.site.title,
    title: node.title,
    description: node.facts?.frontMatter.description ?? '',
    icon: icon.kind === 'svg' ? icon.svg : undefined,
    logo,
    colors: {
      ...{ paper, text: strong, muted, primary, wash },
      // A logo is made for the header that it stands in.
      bar: logo && barOf(settings, light, 'light')?.ground,
    },
    ...pageLanguage(settings, open.space.language),
  }
}

/**
 * Returns the path of the share image of a page below its site space; it changes with what the
 * image shows. Undefined where the server draws none, and where only visitors who sign in could
 * load it.
 */
export function shareImagePath(
  place: SitePlace,
  node: PageNode,
  settings: Settings,
): string | undefined {
  const { ctx, resolved } = place
  if (resolved.preview || resolved.site.visibility === 'visitor-auth' || !drawsImages(ctx))
    return undefined
  return `~gitbook/ogimage/${node.id}?v=${shareDigest(shareCard(place, node, settings))}`
}
