import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fallbackRules } from './font-fallbacks.ts'

/** A font that the settings know by name, as the files that browsers load. */
export type FontFiles = {
  /** The name of the style sheet, and its text. */
  sheet: string
  css: string
  /** The paths of the files that it names, by their names. */
  files: ReadonlyMap<string, string>
  /** The path of the license. */
  license: string
}

/**
 * The packages of the fonts by the names of the settings. Two of those names have no package with a
 * free license.
 */
const packages: Readonly<Record<string, readonly [family: string, name: string]>> = {
  Inter: ['Inter', '@fontsource-variable/inter'],
  Roboto: ['Roboto', '@fontsource-variable/roboto'],
  RobotoSlab: ['Roboto Slab', '@fontsource-variable/roboto-slab'],
  OpenSans: ['Open Sans', '@fontsource-variable/open-sans'],
  SourceSansPro: ['Source Sans Pro', '@fontsource-variable/source-sans-3'],
  Lato: ['Lato', '@fontsource/lato'],
  Raleway: ['Raleway', '@fontsource-variable/raleway'],
  Merriweather: ['Merriweather', '@fontsource-variable/merriweather'],
  Overpass: ['Overpass', '@fontsource-variable/overpass'],
  NotoSans: ['Noto Sans', '@fontsource-variable/noto-sans'],
  IBMPlexSerif: ['IBM Plex Serif', '@fontsource/ibm-plex-serif'],
  Poppins: ['Poppins', '@fontsource/poppins'],
  FiraSans: ['Fira Sans', '@fontsource/fira-sans'],
  FiraCode: ['Fira Code', '@fontsource-variable/fira-code'],
  IBMPlexMono: ['IBM Plex Mono', '@fontsource/ibm-plex-mono'],
  JetBrainsMono: ['JetBrains Mono', '@fontsource-variable/jetbrains-mono'],
  SourceCodePro: ['Source Code Pro', '@fontsource-variable/source-code-pro'],
  RobotoMono: ['Roboto Mono', '@fontsource-variable/roboto-mono'],
  SpaceMono: ['Space Mono', '@fontsource/space-mono'],
  DMMono: ['DM Mono', '@fontsource/dm-mono'],
  Inconsolata: ['Inconsolata', '@fontsource-variable/inconsolata'],
}

/** The names of the fonts that have a package. */
export const fontNames: readonly string[] = Object.keys(packages)

/** The letters that are served; browsers load those that a page uses. */
const subsets: ReadonlySet<string> = new Set(['latin', 'latin-ext', 'cyrillic', 'greek'])

/** The weights of fonts that are not variable. */
const weights: ReadonlySet<string> = new Set(['400', '500', '700'])

const face =
  /\/\* [\w-]+?-(?<subset>(?:latin|cyrillic|greek)(?:-ext)?)-(?<weight>wght|\d{3})-(?<style>normal|italic) \*\/\s*@font-face \{[^}]*?font-weight: (?<range>[\d ]+);[^}]*?url\(\.\/files\/(?<file>[\w-]+\.woff2)\)[^}]*?unicode-range: (?<letters>[\w+,\-?]+);/g

/** Returns the files of a font; undefined if its package is not installed. */
export function fontFiles(font: string): FontFiles | undefined {
  const [family, name] = packages[font] ?? []
  const folder = name && folderOf(name)
  if (!family || !folder) return undefined

  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string
  }
  const files = new Map<string, string>()
  const rules: string[] = []

  for (const { groups } of sheetsOf(folder).matchAll(face)) {
    const { subset, weight, style, range, file, letters } = groups as Record<string, string>
    if (!subsets.has(subset!) || (weight !== 'wght' && !weights.has(weight!))) continue
    const served = `font-${file!.replace(/\.woff2$/, '')}.${version.replace(/\W/g, '-')}.woff2`
    if (files.has(served)) continue
    files.set(served, join(folder, 'files', file!))
    rules.push(
      `@font-face{font-family:"${family}";font-style:${style};font-weight:${range};font-display:swap;src:url(${served}) format("woff2");unicode-range:${letters}}`,
    )
  }

  const css = [...rules, ...fallbackRules(font, family)].join('\n')
  const digest = createHash('sha256').update(css).digest('hex').slice(0, 12)

  return { sheet: `fonts-${font}.${digest}.css`, css, files, license: join(folder, 'LICENSE') }
}

/**
 * Returns the style sheets of a package: of the upright letters, and of the slanted ones where
 * there are any.
 */
function sheetsOf(folder: string): string {
  const names = ['wght.css', 'wght-italic.css', '400.css', '400-italic.css', '500.css', '700.css']
  return names.map(name => readIfThere(join(folder, name))).join('\n')
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function folderOf(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
