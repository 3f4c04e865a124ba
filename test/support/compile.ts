import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type PluginBuild } from 'esbuild'

const root = new URL('../../', import.meta.url).pathname
/** Where packages are found from as well; two runs at once do not meet. */
const folder = join(root, `node_modules/.cache/stemma-tests-${process.pid}`)

/**
 * Writes every source and test as JavaScript, and gives where one of them lies then. Each test file is a process of its own,
 * and half of the time of most went into reading TypeScript again. It goes when this process ends.
 */
export async function compileTests(): Promise<(file: string) => string> {
  const files = ['src', 'test', 'bin'].flatMap(dir =>
    readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(root, dir, name)),
  )
  await build({
    entryPoints: files,
    outdir: folder,
    outbase: root,
    // Every file stays a module of its own: bundling is how esbuild changes the names of what is imported.
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    define: {
      'globalThis.stemmaThreads': JSON.stringify(pathToFileURL(join(folder, 'src/threads/*.js')).href),
    },
    logLevel: 'warning',
    plugins: [{ name: 'modules as they are', setup: keepModules }],
  })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return file => join(folder, file.replace(/\.ts$/, '.js'))
}

/** Not where it is spoken of. */
const own = /(?<!['"])\bimport\.meta\.url\b(?!['"])/g

function keepModules({ onLoad, onResolve }: PluginBuild): void {
  onResolve({ filter: /./ }, ({ path, kind }) =>
    kind === 'entry-point' ? undefined : { path: path.replace(/^(\..*)\.ts$/, '$1.js'), external: true },
  )
  // What a source finds beside itself it finds from there as well.
  onLoad({ filter: /\.ts$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace(own, JSON.stringify(pathToFileURL(path).href)),
    loader: 'ts',
  }))
}
