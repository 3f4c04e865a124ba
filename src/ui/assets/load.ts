import { fileURLToPath } from 'node:url'
import { type Asset, readBuilt } from './asset.ts'

/**
 * The folder of the built files of the site, relative to the program's bundle; those of the
 * workbench stand beside it. The build sets it; sources build what they need.
 */
const built = (globalThis as { stemmaSite?: string }).stemmaSite

/**
 * Returns the assets of a part of the program: read from the files that the build wrote, or built
 * from the sources. Throws when neither is possible.
 */
export async function loadAssets(
  part: 'site' | 'workbench',
  buildNow: () => Promise<Asset[]>,
): Promise<Asset[]> {
  if (built)
    return readBuilt(fileURLToPath(new URL(`../${part}/`, new URL(built, import.meta.url))))

  return buildNow().catch((error: Error) => {
    throw new Error('The files of pages are not built: run "npm run prepare".', { cause: error })
  })
}

/** Returns the asset whose name a pattern matches. Throws if there is none. */
export function assetNamed(assets: readonly Asset[], pattern: RegExp): Asset {
  const asset = assets.find(({ name }) => pattern.test(name))
  if (!asset) throw new Error(`${pattern} is missing among the files: run "node bin/build.js".`)
  return asset
}
