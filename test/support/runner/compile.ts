import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type PluginBuild } from 'esbuild'

const root = new URL('../../../', import.meta.url).pathname
/** A folder from which packages resolve. The process id keeps concurrent runs apart. */
const folder = join(root, `node_modules/.cache/stemma-tests-${process.pid}`)

type Compiled = {
  /** The compiled file of a source file. */
  compiled: (file: string) => string
  /** Which files import a file. Types are not imported. */
  importers: Map<string, Set<string>>
}

/**
 * Writes every source and test as JavaScript. Each test process would otherwise spend half of its
 * time compiling TypeScript. The output is removed when this process ends.
 */
export async function compileTests(): Promise<Compiled> {
  const importers: Compiled['importers'] = new Map()
  const files = ['src', 'test', 'bin'].flatMap(dir =>
    readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
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
    // Beside the files, where only `toSources` reads them: Node would translate every stack trace,
    // failed or not.
    sourcemap: 'external',
    define: {
      // As the built program does: a thread or process loads one bundle instead of hundreds of
      // files, and no schema is compiled.
      'globalThis.stemmaSchemaChecks': JSON.stringify(
        pathToFileURL(join(root, 'dist/schema-checks/*.cjs')).href,
      ),
      'globalThis.stemmaThreads': JSON.stringify(
        pathToFileURL(join(root, 'dist/threads/*.mjs')).href,
      ),
    },
    logLevel: 'warning',
    plugins: [{ name: 'modules as they are', setup: keepModules(importers) }],
  })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')

  return { compiled: file => join(folder, file.replace(/\.tsx?$/, '.js')), importers }
}

const maps = new Map<string, SourceMap>()

function mapOf(file: string): SourceMap {
  const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  maps.set(file, map)
  return map
}

/** Replaces positions in compiled files, as in stack traces, by positions in the sources. */
export function toSources(text: string): string {
  return text.replace(
    /(?:file:\/\/)?(\/[^\s():]*\/stemma-tests-\d+\/[^\s():]+\.js):(\d+):(\d+)/g,
    (whole, file: string, line: string, column: string) => {
      if (!existsSync(`${file}.map`)) return whole
      const entry = mapOf(file).findEntry(Number(line) - 1, Number(column) - 1)
      if (!('originalLine' in entry)) return whole
      const source = relative(folder, file).replace(/\.js$/, '.ts')
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    },
  )
}

/** Matches `import.meta.url` in code, not in strings. */
const own = /(?<!['"])\bimport\.meta\.url\b(?!['"])/g

function keepModules(importers: Compiled['importers']): (build: PluginBuild) => void {
  return ({ onLoad, onResolve }) => {
    onResolve({ filter: /./ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point') return undefined
      if (path.startsWith('.')) {
        const file = relative(root, join(dirname(importer), path))
        importers.set(file, (importers.get(file) ?? new Set()).add(relative(root, importer)))
      }
      // Data becomes a part of the file that imports it.
      if (path.endsWith('.json')) return undefined
      return { path: path.replace(/^(\..*)\.tsx?$/, '$1.js'), external: true }
    })
    // Files resolve their neighbours from the compiled location.
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(own, JSON.stringify(pathToFileURL(path).href)),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  }
}
