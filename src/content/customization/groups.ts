import { isDeepStrictEqual } from 'node:util'

/**
 * A setting, or a group of settings. Groups are merged key by key; a setting is replaced as a
 * whole.
 */
type Tree = { [name: string]: unknown }

/**
 * The keys whose values are groups. Every other value is a setting, even if it is an object, such
 * as a color.
 */
const groups: Groups = {
  styling: { sidebar: {} },
  internationalization: {},
  header: {},
  footer: {},
  themes: {},
  pdf: {},
  feedback: {},
  ai: {},
  advancedCustomization: {},
  git: {},
  pageActions: {},
  externalLinks: {},
  pagination: {},
  trademark: {},
  privacyPolicy: {},
  socialPreview: {},
  insights: {},
}

type Groups = { readonly [name: string]: Groups }

/** The keys that the server computes, and does not store. */
const computed = new Set(['codeTheme', 'items', 'socialAccounts'])

/**
 * Returns the settings of `base` with those of `changes` in their place. A null removes a setting;
 * an empty group stays.
 */
export function overlay(base: Tree, changes: Tree, within: Groups = groups): Tree {
  const result = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(changes)) {
    const inner = groupOf(within, name)
    if (value === undefined) continue
    if (value === null) result.delete(name)
    else if (inner)
      result.set(name, overlay((result.get(name) ?? {}) as Tree, value as Tree, inner))
    else result.set(name, value)
  }

  return Object.fromEntries(result)
}

/** Returns what differs in `settings` from `base`, without empty groups and computed keys. */
export function difference(settings: Tree, base: Tree, within: Groups = groups): Tree {
  const result: Tree = {}
  for (const [name, value] of Object.entries(settings)) {
    const inner = groupOf(within, name)
    if (value === undefined || (inner === undefined && computed.has(name))) continue
    if (inner) {
      const rest = difference(value as Tree, (base[name] ?? {}) as Tree, inner)
      if (Object.keys(rest).length > 0) result[name] = rest
    } else if (!isDeepStrictEqual(value, base[name])) result[name] = value
  }

  return result
}

const groupOf = (within: Groups, name: string): Groups | undefined =>
  Object.hasOwn(within, name) ? within[name] : undefined
