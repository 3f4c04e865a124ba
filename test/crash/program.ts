import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The program as two scripts that Node runs as they are. */
export type Program = {
  /** `stemma`, with any command line. */
  main: string
  /** A server that begins on a word. */
  standby: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))

let made: Promise<Program> | undefined

/**
 * Puts the sources together as they are now, once for all servers of this process: each start is then spared the
 * transpiling, which is four fifths of it, and an edit of the sources does not reach a run that has begun.
 */
export const makeProgram = (): Promise<Program> => {
  made ??= bundle()
  return made
}

async function bundle(): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-program-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const outdir = join(folder, 'program')
  mkdirSync(outdir)
  await esbuild().build({
    entryPoints: {
      main: join(root, 'bin/stemma.ts'),
      standby: join(root, 'test/crash/standby.ts'),
      'threads/parse-openapi': join(root, 'src/threads/parse-openapi.ts'),
    },
    define: { 'globalThis.stemmaThreads': JSON.stringify(pathToFileURL(join(outdir, 'threads/*.mjs')).href) },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    // These read files that lie beside them.
    external: ['better-sqlite3', 'swagger-ui-dist', '@seriousme/openapi-schema-validator'],
    logLevel: 'warning',
    // Packages in CommonJS that are put into a module ask for what a module has not.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
    plugins: [{ name: 'own addresses', setup: keepAddresses }],
  })
  return { main: join(outdir, 'main.mjs'), standby: join(outdir, 'standby.mjs') }
}

type OnLoad = (
  options: { filter: RegExp },
  load: (file: { path: string }) => { contents: string; loader: 'ts' } | undefined,
) => void

/** What a source finds beside itself (migrations, the version) it finds beside its bundle, too. */
function keepAddresses({ onLoad }: { onLoad: OnLoad }): void {
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    if (!path.startsWith(join(root, 'src/'))) return undefined
    const address = JSON.stringify(pathToFileURL(path).href)
    return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' }
  })
}

/** It comes with tsx, as what that transpiles with. */
const esbuild = (): { build: (options: object) => Promise<unknown> } => {
  const tsx = createRequire(import.meta.url).resolve('tsx/package.json')
  return createRequire(tsx)('esbuild')
}
