import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Asset } from './build-assets.ts'

/**
 * The style, the script and the rules for prefetching that pages load; `travel` is the style of
 * earlier versions, changes and what members see, which other pages do without; `callStyle` is for
 * pages with operations, whose readers load `callScript` when they open the form of one;
 * `diagramScript` is for pages with diagrams.
 */
export type SiteAssets = {
  style: Asset
  travel: Asset
  callStyle: Asset
  script: Asset
  callScript: Asset
  diagramScript: Asset
  rules: Asset
}

/**
 * The folder of the built files, relative to the program's bundle. The build sets it; sources build
 * what they need.
 */
const built = (globalThis as { stemmaSite?: string }).stemmaSite

let kept: Promise<SiteAssets> | undefined

/**
 * Returns what pages load: read from the files that the build wrote, or built from the sources at
 * the first call. Throws when neither is possible.
 */
export function siteAssets(): Promise<SiteAssets> {
  kept ??= loadAssets()
  kept.catch(() => {
    kept = undefined
  })
  return kept
}

async function loadAssets(): Promise<SiteAssets> {
  const assets = built
    ? readAssets(fileURLToPath(new URL(built, import.meta.url)))
    : await buildNow()
  const find = (pattern: RegExp) => {
    const asset = assets.find(({ name }) => pattern.test(name))
    if (!asset)
      throw new Error(`${pattern} is missing among the files of the site: run "node bin/build.js".`)
    return asset
  }

  return {
    style: find(/^site\..*css$/),
    travel: find(/^travel\./),
    callStyle: find(/^call\..*css$/),
    script: find(/^site\..*js$/),
    callScript: find(/^call\..*js$/),
    diagramScript: find(/^diagrams\..*js$/),
    rules: find(/^rules\./),
  }
}

async function buildNow(): Promise<Asset[]> {
  const { buildAssets } = await import('./build-assets.ts').catch((error: Error) => {
    throw new Error('The files of the site are not built: run "npm run prepare".', { cause: error })
  })
  return buildAssets()
}

function readAssets(folder: string): Asset[] {
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
