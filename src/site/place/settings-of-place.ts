import { cacheSlot } from '../../caches.ts'
import { shownTo, withoutHiddenTargets } from '../../content/customization/for-readers.ts'
import { imageHosts } from '../../content/customization/image-hosts.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { effectiveSettings } from '../../content/customization/stored.ts'
import { paletteOf } from '../../content/customization/theme/palette.ts'
import { themeFile } from '../../content/customization/theme/sheet.ts'
import type { Tokens } from '../../content/customization/theme/tokens.ts'
import type { SitePlace } from './place.ts'

/** The settings of a site space as they are stored, and what is made of them. */
type Kept = {
  customization: string | null
  override: string | null
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
  const [customization, override] = [view.site.customization, row.override]
  const kept = ctx.caches.get(cache)
  const known = kept.get(row.id)
  if (known && known.customization === customization && known.override === override) return known

  const settings = effectiveSettings(customization, override)
  const light = paletteOf(settings.styling, 'light')
  const hosts = imageHosts(settings)
  const made = {
    customization,
    override,
    settings,
    theme: themeFile(settings),
    light,
    imageHosts: hosts,
  }
  const length = (customization?.length ?? 0) + (override?.length ?? 0)

  kept.set(row.id, made, entryBytes + length * valueFactor)

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
