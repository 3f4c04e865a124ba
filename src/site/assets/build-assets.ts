import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { buildDiagrams, diagramSource, diagramsLicense, diagramsVersion } from './build-diagrams.ts'
import { fontFiles, fontNames } from './build-fonts.ts'
import { frameName } from './diagrams.ts'
import { fontsFolder } from './fonts.ts'

/**
 * A file that pages load: the same bytes in three encodings, under a name that changes with them.
 */
export type Asset = { name: string; type: string; bytes: Buffer; brotli: Buffer; gzip: Buffer }

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
  const { outputFiles } = await build({
    entryPoints: [
      sourceOf('../style/site.css'),
      sourceOf('../style/travel.css'),
      sourceOf('../style/call.css'),
      sourceOf('../client/site.ts'),
      sourceOf('../client/call.ts'),
      sourceOf('../client/diagrams.ts'),
    ],
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    // Browsers get the nesting and `light-dark()` as written.
    supported: { nesting: true },
    charset: 'utf8',
    external: ['data:*'],
    tsconfigRaw: {},
    logLevel: 'warning',
  })
  const text = (end: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(end))
    if (!file) throw new Error(`The build has no file ${end}.`)
    return Buffer.from(file.contents)
  }

  return [
    encode('site', 'css', 'text/css; charset=utf-8', text('site.css')),
    encode('travel', 'css', 'text/css; charset=utf-8', text('travel.css')),
    encode('call', 'css', 'text/css; charset=utf-8', text('call.css')),
    encode('site', 'js', 'text/javascript; charset=utf-8', text('site.js')),
    encode('call', 'js', 'text/javascript; charset=utf-8', text('call.js')),
    encode('diagrams', 'js', 'text/javascript; charset=utf-8', text('diagrams.js')),
    encode(
      'rules',
      'json',
      'application/speculationrules+json',
      Buffer.from(JSON.stringify(rules)),
    ),
  ]
}

/**
 * Writes the built files to a folder, from which a server reads them: starting it runs no bundler.
 */
export async function writeAssets(folder: string): Promise<void> {
  const assets = await buildAssets()
  mkdirSync(folder, { recursive: true })

  for (const { name, bytes, brotli, gzip } of assets) {
    writeFileSync(join(folder, name), bytes)
    writeFileSync(join(folder, `${name}.br`), brotli)
    writeFileSync(join(folder, `${name}.gz`), gzip)
  }

  const list = assets.map(({ name, type }) => ({ name, type }))

  writeFileSync(join(folder, 'assets.json'), JSON.stringify(list))
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

function encode(name: string, ending: string, type: string, bytes: Buffer): Asset {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const brotli = brotliCompressSync(bytes, { params })

  return {
    name: `${name}.${digest}.${ending}`,
    type,
    bytes,
    brotli,
    gzip: gzipSync(bytes, { level: 9 }),
  }
}
