import type { Asset } from '../../ui/assets/asset.ts'
import { assetNamed, loadAssets } from '../../ui/assets/load.ts'

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

let kept: Promise<SiteAssets> | undefined

/**
 * Returns what pages load: read from the files that the build wrote, or built from the sources at
 * the first call. Throws when neither is possible.
 */
export function siteAssets(): Promise<SiteAssets> {
  kept ??= findAssets()
  kept.catch(() => {
    kept = undefined
  })
  return kept
}

async function findAssets(): Promise<SiteAssets> {
  const assets = await loadAssets('site', async () =>
    (await import('./build-assets.ts')).buildAssets(),
  )

  return {
    style: assetNamed(assets, /^site\..*css$/),
    travel: assetNamed(assets, /^travel\./),
    callStyle: assetNamed(assets, /^call\..*css$/),
    script: assetNamed(assets, /^site\..*js$/),
    callScript: assetNamed(assets, /^call\..*js$/),
    diagramScript: assetNamed(assets, /^diagrams\..*js$/),
    rules: assetNamed(assets, /^rules\./),
  }
}
