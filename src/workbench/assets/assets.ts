import type { Asset } from '../../ui/assets/asset.ts'
import { assetNamed, loadAssets } from '../../ui/assets/load.ts'

/** The files that pages load. */
type WorkbenchAssets = {
  style: Asset
  script: Asset
  /** Returns a file by the name of its source, such as "editor.css". Throws if there is none. */
  named: (name: string) => Asset
  all: readonly Asset[]
}

let kept: Promise<WorkbenchAssets> | undefined

/** Returns what pages load, read or built at the first call. Throws when neither is possible. */
export function workbenchAssets(): Promise<WorkbenchAssets> {
  kept ??= findAssets()
  kept.catch(() => {
    kept = undefined
  })
  return kept
}

async function findAssets(): Promise<WorkbenchAssets> {
  const all = await loadAssets('workbench', async () =>
    (await import('./build-assets.ts')).buildAssets(),
  )
  const named = (name: string): Asset => {
    const [, stem = '', ending = ''] = /^([\w-]+)\.(css|js)$/.exec(name) ?? []
    return assetNamed(all, new RegExp(`^${stem}\\.\\w+\\.${ending}$`))
  }
  return { style: named('workbench.css'), script: named('workbench.js'), named, all }
}
