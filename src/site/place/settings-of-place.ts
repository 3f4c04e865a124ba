import { isDeepStrictEqual } from 'node:util'
import { cacheSlot } from '../../caches.ts'
import { shownTo, withoutHiddenTargets } from '../../content/customization/for-readers.ts'
import { surfaceLocale } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { effectiveSettings } from '../../content/customization/stored.ts'
import { paletteOf } from '../../content/customization/theme/palette.ts'
import { themeFile } from '../../content/customization/theme/sheet.ts'
import type { Tokens } from '../../content/customization/theme/tokens.ts'
import type { SiteRow, SiteSpaceRow } from '../../store/tables/rows.ts'
import { type SurfaceWords, wordsOf } from '../../ui/words/all.ts'
import type { SitePlace } from './place.ts'

/** The settings of a site space as they are stored, and what is made of them. */
type Kept = {
  stored: readonly [customization: SiteRow['customization'], override: SiteSpaceRow['override']]
  settings: Settings
  theme: ReturnType<typeof themeFile>
  /** The colors of the light scheme. */
  light: Tokens
  imageHosts: readonly string[] | undefined
}

const cache = cacheSlot<Kept>('settings')

/**
 * The estimated weight of an entry beside its texts, in bytes, and by how much values are larger
 * than their texts.
 */
const entryBytes = 6_000
const valueFactor = 5

function keptSettings({ ctx, view, resolved }: SitePlace): Kept {
  const { row } = resolved.siteSpace
  const stored = [view.site.customization, row.override] as const
  const kept = ctx.caches.get(cache)
  const known = kept.get(row.id)
  if (known && isDeepStrictEqual(known.stored, stored)) {
    // The same rows are compared again for other parts of the page: at once, as the same objects.
    known.stored = stored
    return known
  }

  const settings = effectiveSettings(...stored)
  const light = paletteOf(settings.styling, 'light')
  const hosts = imageHosts(settings)
  const made = {
    stored,
    settings,
    theme: themeFile(settings),
    light,
    imageHosts: hosts,
  }

  kept.set(row.id, made, entryBytes + JSON.stringify(stored).length * valueFactor)

  return made
}

/** Returns the settings of the site space of a place, as its reader is shown them. */
export function settingsOf(place: SitePlace): Settings {
  const spaceIds = new Set(place.view.siteSpaces.map(({ space }) => space.id))
  const { settings } = keptSettings(place)
  return withoutHiddenTargets(shownTo(settings, place.isMet), id => spaceIds.has(id))
}

/** Returns whether readers with different claims are shown different settings. */
export const hasConditions = (place: SitePlace): boolean =>
  keptSettings(place).settings.header.links.some(({ condition }) => Boolean(condition))

/**
 * Returns the style sheet that the settings of a place need; undefined if the built-in one is
 * enough.
 */
export const themeOf = (place: SitePlace): ReturnType<typeof themeFile> => keptSettings(place).theme

/** Returns the colors of the light scheme of a place. */
export const lightColorsOf = (place: SitePlace): Tokens => keptSettings(place).light

/**
 * Returns the origins, besides their own, that the pages of a place may load images from; undefined
 * if all are allowed.
 */
export const imageHostsOf = (place: SitePlace): readonly string[] | undefined =>
  keptSettings(place).imageHosts

/**
 * Returns the origins, besides their own, that pages may load images from: those of the images in
 * the settings. Returns undefined if all hosts are allowed.
 */
function imageHosts({ externalImages, header, footer, favicon }: Settings): string[] | undefined {
  if (externalImages?.enabled !== false) return undefined
  const images = [header.logo, footer.logo, favicon.icon].flatMap(each =>
    each ? [each.light, each.dark] : [],
  )
  return [...new Set(images.map(url => new URL(url).origin))]
}

/** Returns the words around the texts of a space, in the language of the settings. */
export const surfaceWords = (settings: Settings, language: string | null): SurfaceWords =>
  wordsOf(surfaceLocale(settings, language)).words
