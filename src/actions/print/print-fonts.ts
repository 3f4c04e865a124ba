import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PrintBook } from '../../content/print/book-types.ts'
import { printingFile } from '../../content/print/packages.ts'
import { scriptsOf, specialCharacters } from '../../content/print/scripts.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { inSlices } from '../../lib/slices.ts'
import { type Coverage, readCoverage } from './font-coverage.ts'

/** Packages of fonts, and their folders. Only the weights in use: each takes megabytes. */
const packaged: readonly [name: string, folders: readonly string[]][] = [
  ['@expo-google-fonts/noto-sans-sc', ['400Regular', '700Bold']],
  ['@expo-google-fonts/noto-sans-tc', ['400Regular', '700Bold']],
  ['@expo-google-fonts/noto-color-emoji', ['400Regular']],
]

/** The folders in which the compiler always searches. */
const systemFolders = ['/usr/share/fonts', '/usr/local/share/fonts']

/**
 * Returns the font families for a language. Each character uses the first family that has it, or
 * else any font of the machine. The order matters for Chinese: the same character has a traditional
 * and a simplified shape.
 */
export function printFonts(language: string | undefined): PrintBook['fonts'] {
  const chinese = ['Noto Sans SC', 'Noto Sans TC']
  if (language === 'zh-TW') chinese.reverse()
  return {
    body: ['Libertinus Serif', ...chinese, 'Noto Color Emoji'],
    mono: ['DejaVu Sans Mono', ...chinese, 'Noto Color Emoji'],
  }
}

/**
 * Returns the folders of fonts besides the system's: those of installed packages, and the
 * operator's.
 */
export function fontFolders(ctx: Pick<Context, 'config'>): string[] {
  const found: string[] = []

  for (const [name, folders] of packaged) {
    // `missingFonts` reports the characters that a missing package would print.
    const file = printingFile(`${name}/package.json`)
    if (file !== undefined) found.push(...folders.map(folder => join(dirname(file), folder)))
  }

  return [...found, ...ctx.config.fontDirs]
}

/**
 * Returns a sentence about the scripts in the texts that the fonts of this machine do not fully
 * cover; undefined when all characters can be printed. Reads only as many fonts as needed.
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
  return `Some characters are not shown, because no font has them (${names}). Install a font and add its folder to STEMMA_FONTS.`
}

/** The most fonts that are read per folder. */
const mostFonts = 3_000

async function fontsIn(folder: string): Promise<string[]> {
  // A missing folder has no fonts.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => entry.isFile() && /\.(?:ttf|otf|ttc|otc)$/i.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
    .slice(0, mostFonts)
}

/** Coverage by path of the font. */
const coverages = new BoundedCache<string, Coverage>(500)

async function coverageOf(path: string): Promise<Coverage> {
  const known = coverages.get(path)
  if (known) return known
  const covers = await readCoverage(path).catch(() => () => false)
  coverages.set(path, covers, 1)
  return covers
}
