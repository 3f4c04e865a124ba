import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PrintBook } from '../../content/print/book.ts'
import { scriptsOf, specialCharacters } from '../../content/print/scripts.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { type Coverage, readCoverage } from '../../lib/font-coverage.ts'
import { inSlices } from '../../lib/slices.ts'

/** Packages of fonts that may be installed, and their folders: only the weights that are printed, for each takes megabytes. */
const packaged: readonly [name: string, folders: readonly string[]][] = [
  ['@expo-google-fonts/noto-sans-sc', ['400Regular', '700Bold']],
  ['@expo-google-fonts/noto-sans-tc', ['400Regular', '700Bold']],
  ['@expo-google-fonts/noto-color-emoji', ['400Regular']],
]

/** Where the compiler looks by itself. */
const systemFolders = ['/usr/share/fonts', '/usr/local/share/fonts']

/**
 * Returns the families to print a language with; each character is set in the first that has it, or else in any font of
 * the machine. Traditional and simplified Chinese share characters that they draw differently.
 */
export function printFonts(language: string | undefined): PrintBook['fonts'] {
  const chinese = ['Noto Sans SC', 'Noto Sans TC']
  if (language === 'zh-TW') chinese.reverse()
  return {
    body: ['Libertinus Serif', ...chinese, 'Noto Color Emoji'],
    mono: ['DejaVu Sans Mono', ...chinese, 'Noto Color Emoji'],
  }
}

/** The folders of fonts beside the system's: those of packages that are installed, and the operator's. */
export function fontFolders(ctx: Pick<Context, 'config'>): string[] {
  const { resolve } = createRequire(import.meta.url)
  const found: string[] = []
  for (const [name, folders] of packaged)
    try {
      const root = dirname(resolve(`${name}/package.json`))
      found.push(...folders.map(folder => join(root, folder)))
    } catch {
      // It is optional: what it would print is said to be missing.
    }
  return [...found, ...ctx.config.fontDirs]
}

/**
 * A sentence about the scripts that no font of this machine has all characters for, of those in the texts; undefined when
 * all can be printed. Fonts are read only as far as they have to be.
 */
export async function missingFonts(
  ctx: Pick<Context, 'config'>,
  texts: Iterable<string>,
): Promise<string | undefined> {
  const characters = await inSlices(specialCharacters(texts))
  for (const folder of [...fontFolders(ctx), ...systemFolders]) {
    if (characters.size === 0) return undefined
    for (const path of await fontsIn(folder)) {
      const covers = await coverageOf(path)
      for (const each of characters) if (covers(each.codePointAt(0)!)) characters.delete(each)
    }
  }
  if (characters.size === 0) return undefined
  const names = scriptsOf(characters).join(', ')
  return `Some characters are not shown, for no font has them (${names}): install a font and name its folder in STEMMA_FONTS.`
}

/** More fonts than this are not looked at. */
const mostFonts = 3_000

async function fontsIn(folder: string): Promise<string[]> {
  // A folder that is not there has no fonts.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => entry.isFile() && /\.(?:ttf|otf|ttc|otc)$/i.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
    .slice(0, mostFonts)
}

/** By path, each counted as one. */
const coverages = new BoundedCache<string, Coverage>(500)

async function coverageOf(path: string): Promise<Coverage> {
  const known = coverages.get(path)
  if (known) return known
  const covers = await readCoverage(path).catch(() => () => false)
  coverages.set(path, covers, 1)
  return covers
}
