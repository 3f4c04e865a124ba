import { pageLanguage } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { lookOf, schemeOf } from '../../content/customization/theme/look.ts'
import { sha256 } from '../../lib/digest.ts'
import { iconsOf } from '../place/glyphs.ts'
import type { Place } from '../place/place.ts'
import { surfaceWords } from '../place/surface.ts'
import { assetAddresses } from '../sending/send-asset.ts'
import { themeAddress } from '../sending/theme.ts'
import type { Announcement, Banner, Frame, FrameLink } from '../views/model.ts'
import { addressOfRef, frameLinks } from './links-of-settings.ts'
import { sectionsOf, variantsOf } from './structure-links.ts'

/** What a page adds to the frame. */
export type FrameParts = { banner?: Banner | undefined; toolbar?: FrameLink[] }

/** Returns what the pages of a site have in common for one reader, in one space. */
export async function frameOf(
  place: Place,
  settings: Settings,
  { banner, toolbar = [] }: FrameParts = {},
): Promise<Frame> {
  const { view, siteBase, open } = place
  const { header, footer } = settings
  return {
    ...pageLanguage(settings, open.space.language),
    words: surfaceWords(settings, open.space.language),
    title: settings.title ?? view.site.title,
    home: siteBase,
    logo: header.logo,
    favicon: { href: `${siteBase}~gitbook/icon`, type: 'image/svg+xml' },
    assets: { ...(await assetAddresses('/')), theme: themeAddress(place, settings) },
    look: lookOf(settings),
    ...schemeOf(settings),
    search: { action: `${place.base}~gitbook/search` },
    header: headerOf(place, header.links),
    tabs: sectionsOf(place, iconsOf(settings)),
    variants: await variantsOf(place),
    announcement: announcementOf(place, settings),
    footer: {
      logo: footer.logo,
      groups: footer.groups.map(({ title, links }) => ({ title, links: frameLinks(place, links) })),
      copyright: footer.copyright,
      privacy: settings.privacyPolicy.url,
      trademark: settings.trademark.enabled,
    },
    banner,
    toolbar,
  }
}

function headerOf(place: Place, items: Settings['header']['links']): Frame['header'] {
  return items.flatMap(({ title, to, links, style = 'link' }) => {
    const href = to ? addressOfRef(place, to) : undefined
    const below = frameLinks(place, links)
    return href === undefined && below.length === 0 ? [] : [{ title, href, style, links: below }]
  })
}

function announcementOf(place: Place, { announcement }: Settings): Announcement | undefined {
  if (!announcement?.enabled) return undefined
  const { message, link, style } = announcement
  const [shown] = link ? frameLinks(place, [link]) : []
  return { message, style, link: shown, digest: sha256(`${message} ${shown?.href}`).slice(0, 12) }
}
