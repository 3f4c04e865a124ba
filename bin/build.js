#!/usr/bin/env node
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { digestOfSources, listSources, root, stampOfSources } from './sources.js'

// Bundles the sources and most packages into dist/. Loading a thousand small files takes two thirds
// of the start-up time. npm runs this after `npm ci` (the script "prepare"); stemma.js uses the
// bundle only while it matches the sources and the installed packages.

/**
 * Packages that are loaded from node_modules: they contain native code, or load files or threads
 * from their own folder.
 */
const external = ['better-sqlite3', 'esbuild', 'pg', 'pino', 'sharp', 'tsx']

if (listSources().length === 0) console.log('There are no sources here: nothing is built.')
else await run()
if (!canPrint()) console.log('Without PDF files. To add them: npm ci --prefix printing')

function canPrint() {
  const { resolve } = createRequire(join(root, 'printing/package.json'))
  try {
    return resolve('@myriaddreamin/typst-ts-node-compiler') !== undefined
  } catch {
    return false
  }
}

async function run() {
  const stamp = stampOfSources()
  const digest = digestOfSources()
  const fresh = join(root, `dist.${process.pid}`)
  try {
    await build({
      entryPoints: {
        stemma: join(root, 'bin/stemma.ts'),
        'build-site': join(root, 'src/site/assets/build-assets.ts'),
        'build-schema-checks': join(root, 'src/content/openapi/schema-check.ts'),
        'build-workbench': join(root, 'src/workbench/assets/build-assets.ts'),
        ...threads(),
      },
      define: {
        'globalThis.stemmaThreads': '"../../dist/threads/*.mjs"',
        'globalThis.stemmaSchemaChecks': '"../../../dist/schema-checks/*.cjs"',
        'globalThis.stemmaSite': '"../../../dist/site/"',
      },
      outdir: fresh,
      // An image has no tsconfig.json, which says it for the tests and the type check.
      jsx: 'automatic',
      jsxImportSource: 'preact',
      bundle: true,
      splitting: true,
      external,
      // Packages in the older module format call `require`, which an ES module does not have.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outExtension: { '.js': '.mjs' },
      logLevel: 'warning',
      plugins: [{ name: 'own addresses', setup: keepAddresses }],
    })
    for (const part of ['site', 'workbench']) {
      const { writeAssets } = await import(pathToFileURL(join(fresh, `build-${part}.mjs`)).href)
      await writeAssets(join(fresh, part))
    }
    await writeSchemaChecks(fresh)
    writeFileSync(join(fresh, 'sources'), digest)
    writeFileSync(join(fresh, 'stamp'), stamp)
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    renameSync(fresh, join(root, 'dist'))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Returns the worker threads as entry points: they are started by file name. */
function threads() {
  const names = readdirSync(join(root, 'src/threads')).filter(name => name.endsWith('.ts'))
  return Object.fromEntries(
    names.map(name => [`threads/${name.replace(/\.ts$/, '')}`, join(root, 'src/threads', name)]),
  )
}

/** Writes the checks of OpenAPI's schemas as modules, so that no thread compiles one. */
async function writeSchemaChecks(folder) {
  const { compileCheck, specVersions } = await import(
    pathToFileURL(join(folder, 'build-schema-checks.mjs')).href
  )
  for (const version of specVersions) {
    const { ajv, check } = compileCheck(version)
    await build({
      stdin: { contents: standaloneCode.default(ajv, check), resolveDir: root },
      outfile: join(folder, `schema-checks/${version}.cjs`),
      minifyWhitespace: true,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      logLevel: 'warning',
    })
  }
}

/** Makes the sources in dist/ find the files beside them (migrations, the version) in src/. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
    if (!path.startsWith(join(root, 'src'))) return undefined
    const address = `new URL(${JSON.stringify(`../${path.slice(root.length)}`)}, import.meta.url).href`
    return {
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }
  })
}
