import { pageLanguage } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { lookOf, schemeOf } from '../../content/customization/theme/look.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { sha256 } from '../../lib/digest.ts'
import { iconsOf } from '../place/glyphs.ts'
import type { SitePlace } from '../place/place.ts'
import { serverPathOf } from '../place/server-path.ts'
import { surfaceWords } from '../place/settings-of-place.ts'
import { scriptsOf } from '../sending/script-policy.ts'
import { assetAddresses, fontAddresses } from '../sending/send-asset.ts'
import { touchIconPath } from '../sending/send-icon.ts'
import { themeAddress } from '../sending/theme.ts'
import { bannerOf } from '../travel/banner.ts'
import { toolbarOf } from '../travel/toolbar.ts'
import type { Announcement, Frame } from '../views/model.ts'
import { addressOfRef, frameLinks } from './links-of-settings.ts'
import { sectionsOf, variantsOf } from './structure-links.ts'

/**
 * Returns what the pages of a site have in common for one reader, in one space. `node` is the page
 * that is shown.
 */
export async function frameOf(
  place: SitePlace,
  settings: Settings,
  node?: PageNode,
): Promise<Frame> {
  const { view, siteBase, open, scope } = place
  const words = surfaceWords(settings, open.space.language)
  const { lang, dir } = pageLanguage(settings, open.space.language)
  const { scheme, schemeSwitch } = schemeOf(settings)
  const { header, footer } = settings
  const touchIcon = touchIconPath(place, settings)

  return {
    isCopy: place.isCopy === true,
    lang,
    dir,
    words,
    title: settings.title ?? view.site.title,
    home: scope ? place.base : siteBase,
    logo: header.logo,
    favicon: { href: `${siteBase}~gitbook/icon`, type: 'image/svg+xml' },
    touchIcon: touchIcon && siteBase + touchIcon,
    assets: {
      ...(await assetAddresses(serverPathOf(place))),
      theme: themeAddress(place),
      fonts: await fontAddresses(settings, serverPathOf(place)),
      scripts: scriptsOf(place).map(({ address }) => address),
    },
    look: lookOf(settings),
    scheme,
    schemeSwitch: schemeSwitch && !place.isCopy,
    search: { action: `${place.base}~gitbook/search` },
    header: headerOf(place, header.links),
    tabs: sectionsOf(place, iconsOf(settings)),
    variants: await variantsOf(place, settings, node),
    announcement: announcementOf(place, settings),
    footer: {
      logo: footer.logo,
      groups: footer.groups.map(({ title, links }) => ({ title, links: frameLinks(place, links) })),
      copyright: footer.copyright,
      privacy: settings.privacyPolicy.url,
      trademark: settings.trademark.enabled,
    },
    banner: bannerOf(place, { words, lang, node }),
    toolbar: toolbarOf(place, words, node),
  }
}

function headerOf(place: SitePlace, items: Settings['header']['links']): Frame['header'] {
  return items.flatMap(({ title, to, links, style = 'link' }) => {
    const href = to ? addressOfRef(place, to) : undefined
    const below = frameLinks(place, links)
    return href === undefined && below.length === 0 ? [] : [{ title, href, style, links: below }]
  })
}

function announcementOf(place: SitePlace, { announcement }: Settings): Announcement | undefined {
  if (!announcement?.enabled) return undefined
  const { message, link, style } = announcement
  const [shown] = link ? frameLinks(place, [link]) : []
  return { message, style, link: shown, digest: sha256(`${message} ${shown?.href}`).slice(0, 12) }
}
