import { shownTo, withoutHiddenTargets } from '../../content/customization/for-readers.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { effectiveSettings } from '../../content/customization/stored.ts'
import type { Place } from './place.ts'

/** Returns the settings of the site space of a place, as its reader is shown them. */
export function settingsOf({ view, resolved, isMet }: Place): Settings {
  const spaceIds = new Set(view.siteSpaces.map(({ space }) => space.id))
  const settings = effectiveSettings(view.site.customization, resolved.siteSpace.row.override)
  return withoutHiddenTargets(shownTo(settings, isMet), id => spaceIds.has(id))
}
