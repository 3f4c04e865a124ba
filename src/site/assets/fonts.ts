import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of a font. */
type FontAsset = { type: string; bytes: Buffer }

/** The folder of the built files, relative to the program's bundle. */
const built = (globalThis as { stemmaSite?: string }).stemmaSite

/** Returns the folder of the fonts among the built files. */
export const fontsFolder = (folder: string): string => join(folder, 'fonts')

/**
 * The style sheets by the names of the fonts, and the files by their names: those of texts, or
 * paths.
 */
type Fonts = {
  sheets: Readonly<Record<string, string>>
  files: ReadonlyMap<string, Buffer | string>
}

let kept: Promise<Fonts> | undefined

/** Returns the name of the style sheet of a font; undefined for a font that is not served. */
export async function fontSheet(font: string): Promise<string | undefined> {
  const { sheets } = await fonts()
  return Object.hasOwn(sheets, font) ? sheets[font] : undefined
}

/** Returns whether a name may be that of a file of a font. */
export const isOfFont = (name: string): boolean =>
  /^fonts?-[\w.-]{1,100}\.(?:css|woff2)$/.test(name)

/** Returns a file of a font; undefined if there is none. */
export async function fontAsset(name: string): Promise<FontAsset | undefined> {
  const found = (await fonts()).files.get(name)
  if (found === undefined) return undefined
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'font/woff2'
  return { type, bytes: typeof found === 'string' ? await readFile(found) : found }
}

function fonts(): Promise<Fonts> {
  kept ??= built
    ? Promise.resolve(builtFonts(fontsFolder(fileURLToPath(new URL(built, import.meta.url)))))
    : ownFonts()
  return kept
}

function builtFonts(folder: string): Fonts {
  const list = join(folder, 'fonts.json')
  if (!existsSync(list)) return { sheets: {}, files: new Map() }
  const { sheets, files } = JSON.parse(readFileSync(list, 'utf8')) as {
    sheets: Record<string, string>
    files: string[]
  }
  return { sheets, files: new Map(files.map(name => [name, join(folder, name)])) }
}

async function ownFonts(): Promise<Fonts> {
  const { fontFiles, fontNames } = await import('./build-fonts.ts')
  const sheets: Record<string, string> = {}
  const files = new Map<string, Buffer | string>()

  for (const font of fontNames) {
    const found = fontFiles(font)
    if (!found) continue
    sheets[font] = found.sheet
    files.set(found.sheet, Buffer.from(found.css))
    for (const [name, path] of found.files) files.set(name, path)
  }

  return { sheets, files }
}
