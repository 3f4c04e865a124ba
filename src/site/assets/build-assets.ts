import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { type Asset, encode, writeBuilt } from '../../ui/assets/asset.ts'
import { bundle } from '../../ui/assets/bundle.ts'
import { buildDiagrams, diagramSource, diagramsLicense, diagramsVersion } from './build-diagrams.ts'
import { fontFiles, fontNames } from './build-fonts.ts'
import { frameName } from './diagrams.ts'
import { fontsFolder } from './fonts.ts'

/**
 * The rules by which browsers fetch a page when the pointer rests on a link to it. Addresses with
 * `~` do work, and files are large: neither is fetched in advance.
 */
const rules = {
  prefetch: [
    {
      where: {
        and: [
          { href_matches: '/*' },
          { not: { href_matches: '/*~*' } },
          { not: { selector_matches: '[download], [rel~=nofollow], .file' } },
        ],
      },
      eagerness: 'moderate',
    },
  ],
}

/** Bundles style and script from their sources, and returns them with the rules for prefetching. */
export async function buildAssets(): Promise<Asset[]> {
  const sources = [
    '../style/site.css',
    '../style/travel.css',
    '../style/call.css',
    '../client/site.ts',
    '../client/call.ts',
    '../client/diagrams.ts',
  ]
  const type = 'application/speculationrules+json'

  return [
    ...(await bundle(sources.map(sourceOf))),
    encode('rules', 'json', type, Buffer.from(JSON.stringify(rules))),
  ]
}

/** Writes the built files to a folder, from which a server reads them. */
export async function writeAssets(folder: string): Promise<void> {
  writeBuilt(folder, await buildAssets())
  await writeDiagrams(folder)
  writeFonts(fontsFolder(folder))
}

/**
 * Writes the files of the frames that draw diagrams; says so if the package that draws them is not
 * installed.
 */
async function writeDiagrams(folder: string): Promise<void> {
  const version = diagramsVersion()
  if (version === undefined) {
    console.log('Without Mermaid, pages show the source of diagrams. To add it: npm ci')
    return
  }

  const frame = frameName(version, diagramSource())
  const files = await buildDiagrams(frame.replace(/\.html$/, ''))

  await Promise.all(files.map(file => writeCompressed(folder, file)))
  writeFileSync(join(folder, 'diagrams.LICENSE.txt'), diagramsLicense())
  writeFileSync(join(folder, 'diagrams.json'), JSON.stringify({ frame }))
}

/** Writes the fonts that are installed, with their licenses; says so if there are none. */
function writeFonts(folder: string): void {
  const sheets: Record<string, string> = {}
  const files: string[] = []
  mkdirSync(folder, { recursive: true })

  for (const font of fontNames) {
    const found = fontFiles(font)
    if (!found) continue
    sheets[font] = found.sheet
    files.push(found.sheet, ...found.files.keys())
    writeFileSync(join(folder, found.sheet), found.css)
    for (const [name, path] of found.files) copyFileSync(path, join(folder, name))
    copyFileSync(found.license, join(folder, `${font}.LICENSE.txt`))
  }

  writeFileSync(join(folder, 'fonts.json'), JSON.stringify({ sheets, files }))
  if (files.length === 0) console.log('No fonts are installed: pages have the fonts of the system.')
}

const compress = promisify(brotliCompress)

async function writeCompressed(
  folder: string,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<void> {
  // The highest level takes ten times as long, for 3 % fewer bytes.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 }
  writeFileSync(join(folder, name), bytes)
  writeFileSync(join(folder, `${name}.br`), await compress(bytes, { params }))
}

const sourceOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
