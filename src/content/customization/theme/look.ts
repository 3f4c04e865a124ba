import { defaultSettings } from '../defaults.ts'
import type { Settings } from '../schema.ts'

/**
 * Returns the attributes of the root element that select looks, by name, such as
 * `{'data-theme-style': 'bold'}`. Settings that have their defaults have no attribute; colors,
 * corners and shadows are in the sheet of the theme.
 */
export function lookOf(settings: Settings): Record<string, string> {
  const [chosen, usual] = [looks(settings), looks(defaultSettings)]
  return Object.fromEntries(Object.entries(chosen).filter(([name, value]) => value !== usual[name]))
}

const looks = ({ styling, header }: Settings): Record<string, string> => ({
  'data-theme-style': styling.theme,
  'data-links': styling.links,
  'data-sidebar': styling.sidebar.background,
  'data-list': styling.sidebar.list,
  'data-search': styling.search,
  'data-header': header.preset,
})

/**
 * Returns the scheme for readers who have chosen none, and whether they may choose. `auto` follows
 * the system: so do sites with the default, which is light; a site that takes the choice away shows
 * its default to all.
 */
export function schemeOf({ themes }: Settings): {
  scheme: 'auto' | 'light' | 'dark'
  schemeSwitch: boolean
} {
  const followsSystem = themes.toggeable && themes.default === defaultSettings.themes.default
  return { scheme: followsSystem ? 'auto' : themes.default, schemeSwitch: themes.toggeable }
}
