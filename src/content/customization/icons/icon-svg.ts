import type { Settings } from '../schema.ts'
import { findIcon } from './icon-pack.ts'
import substitutes from './substitutes.json' with { type: 'json' }

type Weight = Settings['styling']['icons']

/** Icons for frequent names that the free set does not have. */
const instead: ReadonlyMap<string, string> = new Map(Object.entries(substitutes))

/** The words of a class that name a weight and not an icon, with the weights that they ask for. */
const families: Readonly<Record<string, 'solid' | 'regular' | 'brands'>> = {
  solid: 'solid',
  regular: 'regular',
  brands: 'brands',
  light: 'regular',
  thin: 'regular',
  duotone: 'solid',
}

/** The names of icons take at most 50 characters, as in the API. */
const form = /^[a-z0-9][a-z0-9-]{0,49}$/

/**
 * Returns an icon of a page as SVG to stand in HTML, without any text of the author; undefined for
 * an unknown name. The name is one of Font Awesome, alone or as a class is written: "rocket",
 * "fa-rocket", "fa-solid fa-rocket" or "solid/rocket". The free set has most icons only as solid
 * ones: they stand in for lighter weights that it lacks.
 */
export function iconSvg(name: string, weight: Weight = 'regular'): string | undefined {
  const { icon, family } = partsOf(name)
  if (icon === undefined || !form.test(icon)) return undefined
  const wanted = family ?? families[weight] ?? 'solid'
  const found = inWeights(icon, wanted) ?? inWeights(instead.get(icon), wanted)
  if (!found) return undefined
  return `<svg class="icon" aria-hidden="true" viewBox="${found.viewBox}"><path d="${found.path}"/></svg>`
}

function partsOf(name: string): {
  icon: string | undefined
  family: (typeof families)[string] | undefined
} {
  const words = name
    .slice(0, 200)
    .toLowerCase()
    .split(/[\s/]+/)
    .map(word => word.replace(/^fa-/, ''))
    .filter(word => word !== '' && word !== 'fa')
  const family = words.length > 1 ? words.find(word => Object.hasOwn(families, word)) : undefined
  const icon = words.find(word => word !== family)
  return { icon, family: family === undefined ? undefined : families[family] }
}

function inWeights(icon: string | undefined, wanted: string): ReturnType<typeof findIcon> {
  if (icon === undefined) return undefined
  for (const weight of new Set([wanted, 'solid', 'brands', 'regular'])) {
    const found = findIcon(`${weight}/${icon}`)
    if (found) return found
  }
  return undefined
}
