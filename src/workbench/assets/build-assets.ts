import { fileURLToPath } from 'node:url'
import { type Asset, writeBuilt } from '../../ui/assets/asset.ts'
import { bundle } from '../../ui/assets/bundle.ts'

/** The style sheets and scripts of the workbench, of which each page loads the first two. */
const sources = [
  '../style/workbench.css',
  '../client/workbench.ts',
  '../editor/editor.css',
  '../editor-client/editor.ts',
]

/** Bundles styles and scripts from their sources. */
export const buildAssets = (): Promise<Asset[]> =>
  bundle(sources.map(path => fileURLToPath(new URL(path, import.meta.url))))

/** Writes the built files to a folder, from which a server reads them. */
export async function writeAssets(folder: string): Promise<void> {
  writeBuilt(folder, await buildAssets())
}
