import { invalid } from '../../errors.ts'
import { withComputed } from './computed.ts'
import { defaultSettings } from './defaults.ts'
import { difference, overlay } from './groups.ts'
import type { OverridePatch, Settings } from './schema.ts'

const mostBytes = 256 * 1024

type Tree = Record<string, unknown>

/**
 * Returns the whole settings of a site, or of a site space with its override. The arguments are the
 * columns `site.customization` and `site_space.override`. `title` is absent if neither sets one.
 */
export const effectiveSettings = (customization: Tree | null, override: Tree | null): Settings =>
  withOverride(withOverride(withComputed(defaultSettings), customization), override)

/**
 * Returns the settings of a site space from those of its site and the column `site_space.override`;
 * the same object if nothing is overridden.
 */
export const withOverride = (settings: Settings, override: Tree | null): Settings =>
  override === null ? settings : withComputed(overlay(settings, override) as Settings)

/** Returns settings as the column `site.customization`: what differs from the defaults, or null. */
export const toStored = (settings: Settings): Tree | null =>
  storable(difference(settings, defaultSettings as Tree))

/**
 * Returns an override after a change, as the column `site_space.override`: the changed settings
 * replace those of `stored`, null removes one. Null if nothing is overridden.
 */
export function mergeOverride(stored: Tree | null, patch: OverridePatch): Tree | null {
  return storable(difference(overlay(stored ?? {}, patch), {}))
}

/** Throws 'invalid' if settings take more than 256 KB as JSON. */
export function checkSize(settings: Settings): void {
  if (Buffer.byteLength(JSON.stringify(settings)) <= mostBytes) return
  throw invalid('The customization takes more than 256 KB. Shorten its links and texts.')
}

/** Returns the top-level names of the settings in which two stored values differ, sorted. */
export function changedNames(before: Tree | null, after: Tree | null): string[] {
  const [one, other] = [before ?? {}, after ?? {}]
  const differing = { ...difference(one, other), ...difference(other, one) }
  return Object.keys(differing).sort()
}

function storable(settings: Tree): Tree | null {
  return Object.keys(settings).length === 0 ? null : settings
}
