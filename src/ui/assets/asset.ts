import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * A file that pages load: the same bytes in three encodings, under a name that changes with them.
 */
export type Asset = { name: string; type: string; bytes: Buffer; brotli: Buffer; gzip: Buffer }

/** Returns bytes as an asset, which is compressed when it is first asked for. */
export function encode(name: string, ending: string, type: string, bytes: Buffer): Asset {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  let brotli: Buffer | undefined
  let gzip: Buffer | undefined

  return {
    name: `${name}.${digest}.${ending}`,
    type,
    bytes,
    get brotli() {
      brotli ??= brotliCompressSync(bytes, { params })
      return brotli
    },
    get gzip() {
      gzip ??= gzipSync(bytes, { level: 9 })
      return gzip
    },
  }
}

/**
 * Writes assets to a folder, from which a server reads them: starting it runs no bundler.
 */
export function writeBuilt(folder: string, assets: readonly Asset[]): void {
  mkdirSync(folder, { recursive: true })

  for (const { name, bytes, brotli, gzip } of assets) {
    writeFileSync(join(folder, name), bytes)
    writeFileSync(join(folder, `${name}.br`), brotli)
    writeFileSync(join(folder, `${name}.gz`), gzip)
  }

  const list = assets.map(({ name, type }) => ({ name, type }))

  writeFileSync(join(folder, 'assets.json'), JSON.stringify(list))
}

/** Reads the assets that `writeBuilt` wrote. */
export function readBuilt(folder: string): Asset[] {
  const list = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8')) as {
    name: string
    type: string
  }[]
  return list.map(({ name, type }) => ({
    name,
    type,
    bytes: readFileSync(join(folder, name)),
    brotli: readFileSync(join(folder, `${name}.br`)),
    gzip: readFileSync(join(folder, `${name}.gz`)),
  }))
}
