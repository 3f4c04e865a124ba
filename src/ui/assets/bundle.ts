import { build } from 'esbuild'
import { type Asset, encode } from './asset.ts'

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Bundles style sheets and scripts from their sources: an asset for each, in their order. */
export async function bundle(sources: readonly string[]): Promise<Asset[]> {
  const { outputFiles } = await build({
    entryPoints: [...sources],
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

  return sources.map(source => {
    const [, name = '', ending = ''] = /([\w-]+)\.(ts|css)$/.exec(source) ?? []
    const made = ending === 'ts' ? 'js' : ending
    const file = outputFiles.find(({ path }) => path.endsWith(`/${name}.${made}`))
    if (!file) throw new Error(`The build has no file for ${source}.`)
    return encode(name, made, types[made] ?? '', Buffer.from(file.contents))
  })
}
