import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The program as two scripts that Node runs directly. */
export type Program = {
  /** `stemma`, with any command line. */
  main: string
  /** A server that starts on a command. */
  standby: string
}

const here = fileURLToPath(new URL('../../', import.meta.url))

const made = new Map<string, Promise<Program>>()

/**
 * Bundles the current sources, or those in another folder, once for all servers of this process. Each
 * start saves the transpiling, four fifths of its time, and later edits of the sources do not affect a
 * run.
 */
export function makeProgram(root = here): Promise<Program> {
  const program = made.get(root) ?? bundle(root)
  made.set(root, program)
  return program
}

async function bundle(root: string): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-program-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const outdir = join(folder, 'program')

  mkdirSync(outdir)
  await esbuild().build({
    entryPoints: {
      main: join(root, 'bin/stemma.ts'),
      standby: join(root, 'test/crash/standby.ts'),
      'threads/launcher': join(root, 'src/threads/launcher.ts'),
      'threads/parse-openapi': join(root, 'src/threads/parse-openapi.ts'),
      'threads/postgres': join(root, 'src/threads/postgres.ts'),
    },
    define: {
      'globalThis.stemmaThreads': JSON.stringify(pathToFileURL(join(outdir, 'threads/*.mjs')).href),
      // Styles and scripts of pages are those of the last build.
      'globalThis.stemmaSchemaChecks': JSON.stringify(
        pathToFileURL(join(root, 'dist/schema-checks/*.cjs')).href,
      ),
      'globalThis.stemmaSite': JSON.stringify(pathToFileURL(join(root, 'dist/site/')).href),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    // These packages read files beside their own.
    external: ['better-sqlite3'],
    logLevel: 'warning',
    // Bundled CommonJS packages call `require`, which ES modules lack.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
    plugins: [
      { name: 'own addresses', setup: (build: { onLoad: OnLoad }) => keepAddresses(build, root) },
    ],
  })

  return { main: join(outdir, 'main.mjs'), standby: join(outdir, 'standby.mjs') }
}

type OnLoad = (
  options: { filter: RegExp },
  load: (file: { path: string }) => { contents: string; loader: 'ts' } | undefined,
) => void

/** Resolves files beside a source (migrations, the version) from the bundle's location. */
function keepAddresses({ onLoad }: { onLoad: OnLoad }, root: string): void {
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    if (!path.startsWith(join(root, 'src/'))) return undefined
    const address = JSON.stringify(pathToFileURL(path).href)
    return {
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address),
      loader: 'ts',
    }
  })
}

/** Loads esbuild, which comes with tsx. */
const esbuild = (): { build: (options: object) => Promise<unknown> } => {
  const tsx = createRequire(import.meta.url).resolve('tsx/package.json')
  return createRequire(tsx)('esbuild')
}
