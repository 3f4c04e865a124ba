import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** A file that pages load: the same bytes in three encodings, under a name that changes with them. */
export type Asset = { name: string; type: string; bytes: Buffer; brotli: Buffer; gzip: Buffer }

/**
 * The rules by which browsers fetch a page when the pointer rests on a link to it. Addresses with `~` do work, and files
 * are large: neither is fetched in advance.
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
    entryPoints: [sourceOf('../style/site.css'), sourceOf('../client/site.ts')],
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
  const text = (end: string) => Buffer.from(outputFiles.find(({ path }) => path.endsWith(end))!.contents)
  return [
    encode('site', 'css', 'text/css; charset=utf-8', text('.css')),
    encode('site', 'js', 'text/javascript; charset=utf-8', text('.js')),
    encode('rules', 'json', 'application/speculationrules+json', Buffer.from(JSON.stringify(rules))),
  ]
}

/** Writes the built files to a folder, from which a server reads them: starting it runs no bundler. */
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
  return { name: `${name}.${digest}.${ending}`, type, bytes, brotli, gzip: gzipSync(bytes, { level: 9 }) }
}
