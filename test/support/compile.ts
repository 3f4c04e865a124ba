import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type PluginBuild } from 'esbuild'

const root = new URL('../../', import.meta.url).pathname
/** A folder from which packages resolve. The process id keeps concurrent runs apart. */
const folder = join(root, `node_modules/.cache/stemma-tests-${process.pid}`)

/**
 * Writes every source and test as JavaScript, and returns a function from a source file to its compiled file. Each test
 * process would otherwise spend half of its time compiling TypeScript. The output is removed when this process ends.
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
    // Every file stays a module of its own; bundling only makes esbuild rewrite the import paths.
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

/** Matches `import.meta.url` in code, not in strings. */
const own = /(?<!['"])\bimport\.meta\.url\b(?!['"])/g

function keepModules({ onLoad, onResolve }: PluginBuild): void {
  onResolve({ filter: /./ }, ({ path, kind }) =>
    kind === 'entry-point' ? undefined : { path: path.replace(/^(\..*)\.ts$/, '$1.js'), external: true },
  )
  // Files resolve their neighbours from the compiled location.
  onLoad({ filter: /\.ts$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace(own, JSON.stringify(pathToFileURL(path).href)),
    loader: 'ts',
  }))
}
